# bson for PostgreSQL: a native BSON document type

EXTENSION   = bson
MODULE_big  = bson
DATA        = $(wildcard sql/bson--*.sql)
OBJS        = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c)))
HDRS        = $(wildcard src/*.h src/*/*.h)

PKGS         = libbson-1.0 json-c
PG_CPPFLAGS  = -Isrc $(shell pkg-config --cflags $(PKGS))
SHLIB_LINK   = $(shell pkg-config --libs $(PKGS))

REGRESS      = $(patsubst test/sql/%.sql,%,$(sort $(wildcard test/sql/*.sql)))
REGRESS_OPTS = --inputdir=test --load-extension=bson

PG_CONFIG   ?= pg_config
PGXS        := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Debian builds without autodepend: a changed header rebuilds everything
$(OBJS) $(OBJS:.o=.bc): $(HDRS)
