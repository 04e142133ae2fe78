"""A view of a dump as a view in SQL: by bson_pipeline_sql, or, where that cannot say its pipeline, by bson_aggregate, which says why when it is read."""
from .basics import shown
from .metadata import as_json
from .psql import literal
from .table import block, comment_of, document, short_name

AGAIN = "again"                         # in the comment of a view: the next run tries it again
# stages that no statement says: reading the view is then an error
WITHOUT_SQL = {"$search", "$searchMeta", "$vectorSearch", "$rankFusion", "$changeStream", "$changeStreamSplitLargeEvent", "$indexStats",
               "$collStats", "$planCacheStats", "$currentOp", "$listSessions", "$listLocalSessions", "$listSearchIndexes", "$listSampledQueries",
               "$querySettings", "$queryStats", "$shardedDataDistribution"}
NAMING = {"$lookup": "from", "$graphLookup": "from", "$unionWith": "coll"}

# is there something in the definition of this view that is neither the extension's, nor the server's, nor a relation of the
# view's schema?  Somebody may have made a function that fits a call better, where the extension's schema is open to all.
FOREIGN = """EXISTS (SELECT FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass::oid AND d.objid = r.oid
WHERE r.ev_class = {0}::regclass::oid AND NOT EXISTS (SELECT FROM pg_class v JOIN pg_class c ON c.relnamespace = v.relnamespace
 WHERE v.oid = r.ev_class AND d.refclassid = 'pg_class'::regclass::oid AND c.oid = d.refobjid)
AND NOT EXISTS (SELECT FROM pg_depend e JOIN pg_extension x ON e.refclassid = 'pg_extension'::regclass::oid AND e.refobjid = x.oid
 WHERE e.classid = d.refclassid AND e.objid = d.refobjid AND e.deptype = 'e'::"char" AND x.extname = 'bson'::name))"""


def renamed(pipeline, called):
    """This pipeline, with what "called" returns for each collection in it."""
    return [stage_renamed(stage, called) for stage in pipeline] if isinstance(pipeline, list) else pipeline


def stage_renamed(stage, called):
    if not isinstance(stage, dict) or len(stage) != 1:
        return stage
    (name, operand), = stage.items()
    if name == "$unionWith" and isinstance(operand, str):
        operand = called(operand)
    elif name == "$facet" and isinstance(operand, dict):
        operand = {key: renamed(each, called) for key, each in operand.items()}
    elif name in NAMING and isinstance(operand, dict):
        operand = {key: called(each) if key == NAMING[name] and isinstance(each, str) else renamed(each, called) if key == "pipeline" else each
                   for key, each in operand.items()}
    return {name: operand}


def stages_of(pipeline):
    """The names of the stages of a pipeline, and of those within it."""
    for stage in pipeline if isinstance(pipeline, list) else []:
        for name, operand in stage.items() if isinstance(stage, dict) else []:
            yield name
            inner = operand.values() if name == "$facet" and isinstance(operand, dict) else [operand.get("pipeline")] if isinstance(operand, dict) else []
            for each in inner:
                yield from stages_of(each)


class View:
    """What a table of a dump that is a view says of it."""

    def __init__(self, table):
        self.table = table
        self.base = short_name(table.options.get("viewOn", ""))
        self.needs = {self.base}        # the names of the relations that it reads
        self.pipeline = document(renamed(table.options.get("pipeline", []), self.place))

    def place(self, collection):
        """A collection's table, as a stage names it."""
        name = short_name(collection)
        self.needs.add(name)
        return f"{self.table.schema}.{name}" if self.table.schema else name

    def wrong(self, there):
        """Why reading this view will be an error, as far as its definition tells, in a schema with these relations; None if it does not."""
        stages = sorted(WITHOUT_SQL.intersection(stages_of(self.table.options.get("pipeline", []))))
        missing = sorted(self.needs - there)
        why = f"its stage {stages[0]} has no equal" if stages else f"there is no {shown(missing[0])} among what is restored" if missing else None
        return why and f"{self.table.label}: reading this view of {shown(self.base)} will be an error: {why}"

    def create(self):
        table, base = self.table, literal(self.table.place(self.base))
        create = f"CREATE OR REPLACE VIEW {table.here} (data) AS "
        lost = f"{table.label}: reading this view of {shown(self.base)} is an error: "
        pipeline = f": {shown(as_json(table.options.get('pipeline', [])))[:10000]}"

        def comment(**more):
            return f"COMMENT ON VIEW {table.here} IS {literal(comment_of(table.namespace, {'options': table.options, **more}))}"

        return block("\n".join([
            f"EXECUTE {literal(create)}::text || bson_pipeline_sql({base}::regclass, {self.pipeline}, NULL::name);",
            f"IF {FOREIGN.format(literal(table.here))} THEN\nRAISE USING MESSAGE = 'others have functions in the schema of bson'::text;\nEND IF;",
            f"{comment()};", "EXCEPTION WHEN OTHERS THEN",
            f"{create}SELECT * FROM bson_aggregate(regclass({base}::text), {self.pipeline}, NULL::name);",
            f"{comment(**{AGAIN: True})};", f"RAISE WARNING USING MESSAGE = {literal(lost)}::text || SQLERRM::text || {literal(pipeline)}::text"]))


def in_order(views):
    """Views, such that each comes after those that it reads; and those that read each other, or one of these."""
    left, order, ready = list(views), [], True
    while ready:
        names = {(view.table.schema, view.table.name) for view in left}
        ready = {view for view in left if not any((view.table.schema, name) in names for name in view.needs)}
        order += [view for view in left if view in ready]
        left = [view for view in left if view not in ready]
    return order, left
