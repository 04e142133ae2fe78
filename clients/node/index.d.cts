/** How values are read. */
export interface Options {
  /** A double that is a whole number comes as a `Double`, so that it is a double again when it is written. */
  doubles?: boolean;
  /**
   * What numbers become.  `'stored'`: a `bigint` for a long, a `Decimal128` for a decimal, a `number` for others.
   * `'native'`: a `number`, or a `bigint` where a `number` cannot hold a long.  A function makes of the text of every number what it likes.
   */
  numbers?: 'stored' | 'native' | ((text: string) => unknown);
  /** Warn once if a cursor was perhaps given an object without `withDocuments`; that is the default. */
  warn?: boolean;
}

/** The binary form of the type, for a parameter. */
export function toBytes(value: unknown): Buffer;
/** A text form of the type that loses nothing: plain JSON of what JSON can hold, or the bytes in hexadecimal. */
export function toText(value: unknown): string;
/** A text form of the type: Extended JSON, which is plain JSON for what JSON can hold. */
export function stringify(value: unknown): string;
/** A value from the binary form of the type, such as a `bytea` has it. */
export function fromBytes<T = any>(bytes: Uint8Array, options?: Options): T;
/** A value from the text form of the type. */
export function fromText<T = any>(text: string, options?: Options): T;

/** What is needed of a `Client` of pg, or of one of a `Pool`. */
export interface PgClient {
  query(text: string): Promise<{ rows: any[] }>;
  getTypeParser(oid: number, format?: any): any;
  setTypeParser(oid: number, format: any, parse: any): void;
}
/** pg: results become values, and objects as parameters keep their types. */
export function register(client: PgClient, options?: Options): Promise<void>;

/** What `register` makes of a parameter: text of an object, and of what is in an array. */
export function parameter(value: unknown): unknown;
/** The class of pg-cursor or pg-query-stream, whose objects as parameters keep their types. */
export function withDocuments<T extends new (...values: any[]) => any>(Cursor: T): T;

/** What is needed of the `sql` of postgres.js. */
export interface PostgresSql {
  options: { parsers: any; serializers: any };
  unsafe(query: string): PromiseLike<any>;
  typed: any;
}
/** postgres.js: results become values; the function makes a parameter of a value, and its method `array` a `bson[]` of values. */
export function registerPostgres(sql: PostgresSql, options?: Options): Promise<{ (value: unknown): any; array(values: readonly unknown[]): any }>;
