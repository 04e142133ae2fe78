INSERT INTO docs VALUES (gen_random_uuid(), now(), ':document');
