# bson for PostgreSQL: a native BSON document type

# These begin on a Debian that has only git and make: they install the rest
# themselves and work in private copies, so PGXS is not asked for them.
ifneq ($(filter check demo demo-stop bench bench-micro,$(MAKECMDGOALS)),)

.PHONY: check demo demo-stop bench bench-micro
check demo:
	@test/bin/$@
demo-stop:
	@test/bin/demo stop
bench-micro:
	@bench/start micro
bench:
	@bench/start run $(TASK)

else

EXTENSION   = bson
MODULE_big  = bson
DATA        = $(wildcard sql/bson--*.sql)
SCRIPTS     = src/tools/bson-copy
OBJS        = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c)))
HDRS        = $(wildcard src/*.h src/*/*.h)

# libbson 2 renamed its pkg-config file
PKGS         = $(shell pkg-config --exists bson2 && echo bson2 || echo libbson-1.0) json-c
PG_CPPFLAGS  = -Isrc $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PKGS)))
SHLIB_LINK   = $(shell pkg-config --libs $(PKGS))

REGRESS      = $(patsubst test/sql/%.sql,%,$(sort $(wildcard test/sql/*.sql)))
REGRESS_OPTS = --inputdir=test --load-extension=bson
PROVE_TESTS ?= test/t/*.pl

PG_CONFIG   ?= pg_config
PGXS        := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

DISTVERSION  = $(shell sed -n 's/^ *"version": "\(.*\)",$$/\1/p' META.json | head -n 1)

# Debian builds without autodepend: a changed header rebuilds everything
$(OBJS) $(OBJS:.o=.bc): $(HDRS)

# TAP_TESTS is not set, so that installcheck needs no Perl modules
.PHONY: prove_installcheck
prove_installcheck:
	$(prove_installcheck)

.PHONY: dist
dist:
	mkdir -p dist
	git archive --format=zip --prefix=bson-$(DISTVERSION)/ -o dist/bson-$(DISTVERSION).zip HEAD

endif
