#!/usr/bin/python3
"""
Property tests: random values of every BSON type, the server's answers against
an oracle that shares no code with it (raw.py and model.py here, pymongo's bson
where it is faithful).

    run.py --seconds 60                 the fixed seeds, then fresh ones
    run.py --seed 17 --only Order       one seed, one property

The server is found as psql finds it; the extension is created in the database if it is not there.  Needs Debian's
python3-pymongo.  The last line is "N passed, N failed"; the exit status is 1 if anything failed.
"""
import argparse
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import db               # noqa: E402
import props_bytes      # noqa: E402
import props_cast       # noqa: E402
import props_change     # noqa: E402
import props_diff       # noqa: E402
import props_envelope   # noqa: E402
import props_get        # noqa: E402
import props_expr       # noqa: E402
import props_gin        # noqa: E402
import props_gin_queries # noqa: E402
import props_json       # noqa: E402
import props_jsonpath   # noqa: E402
import props_match      # noqa: E402
import props_order      # noqa: E402
import props_parse      # noqa: E402
import props_pipeline   # noqa: E402
import props_project    # noqa: E402
import props_record     # noqa: E402
import props_site       # noqa: E402
import props_shape      # noqa: E402
import props_sort       # noqa: E402
import props_stages     # noqa: E402
import props_update     # noqa: E402

MODULES = [props_bytes, props_get, props_envelope, props_cast, props_json, props_parse, props_order, props_change, props_diff, props_record, props_site,
           props_jsonpath, props_expr, props_match, props_project, props_shape, props_sort, props_update, props_gin, props_gin_queries, props_pipeline, props_stages]
FIXED_SEEDS = [1, 2]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('--seconds', type=float, default=60, help='stop after about this long; every property runs at least once')
    arguments.add_argument('--seed', help='run this seed only')
    arguments.add_argument('--only', help='run properties whose name has this in it')
    arguments.add_argument('--scale', type=float, default=1, help='cases per property, as a multiple')
    arguments.add_argument('--verbose', action='store_true')
    options = arguments.parse_args()

    db.run('CREATE EXTENSION IF NOT EXISTS bson;')
    properties = [p() for module in MODULES for p in module.PROPERTIES
                  if not options.only or options.only.lower() in p.__name__.lower()]
    passed = failed = rounds = 0
    for p in [p for p in properties if not p.available()]:
        print('%s: FAILED, as the functions or operators it is about are missing' % type(p).__name__)
        properties.remove(p)
        failed += 1

    stop = time.time() + options.seconds
    seeds = [options.seed] if options.seed else FIXED_SEEDS
    while rounds < 1 or (not options.seed and time.time() < stop):
        seed = seeds[rounds] if rounds < len(seeds) else random.SystemRandom().randrange(10**9)
        for p in properties:
            if rounds > 0 and time.time() > stop:
                break
            start = time.time()
            tried, wrong, reports = p.run(seed, options.scale)
            passed += tried - wrong
            failed += wrong
            if options.verbose or wrong:
                print('%s: seed %s: %d tried, %d failed, %.1f s'
                      % (type(p).__name__, seed, tried, wrong, time.time() - start), flush=True)
            for case, message in reports:
                print('  FAILED  %s' % p.show(case)[:3000])
                print('          %s' % message[:3000])
                print('          again: run.py --seed %s --only %s' % (seed, type(p).__name__), flush=True)
        rounds += 1

    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
