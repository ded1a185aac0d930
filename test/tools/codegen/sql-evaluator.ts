/**
 * Enough of GoogleSQL to run our views over one row: functions on text, bytes, integers and
 * timestamps, written from their documentation and not from our generator. INT64 overflow is an
 * error, as in GoogleSQL.
 */

/** Microseconds since the epoch. */
export class Timestamp {
  constructor(readonly micros: bigint) {}
}
/** A calendar day. */
export class Day {
  constructor(readonly text: string) {}
}
/**
 * NULL is null, INT64 a bigint, FLOAT64 a number, BYTES a Buffer, an array a list, and a family a
 * map from qualifier to cell.
 */
export type Sql =
  | null
  | bigint
  | number
  | string
  | boolean
  | Buffer
  | Timestamp
  | Day
  | readonly Sql[]
  | ReadonlyMap<string, Sql>;
type Scope = ReadonlyMap<string, Sql>;
type Node = (scope: Scope) => Sql;

interface Query {
  readonly columns: ReadonlyMap<string, Node>;
  readonly from: string;
  readonly where: Node;
}

/** The row of a view for a key and families; undefined when its WHERE condition is not met. */
export function runView(query: string, scope: Scope): ReadonlyMap<string, Sql> | undefined {
  const { columns, where } = new Parser(query).query();
  if (where(scope) !== true) return undefined;
  return new Map([...columns].map(([alias, column]) => [alias, column(scope)]));
}

const tokenPattern =
  /\s+|--[^\n]*|(?:r|b)?'(?:[^'\\]|\\.)*'|`[^`]*`|\d+|[A-Za-z_]\w*|->|>=|<=|[-+*^~=<>().,[\]]/gy;

const comparisons: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ['=', (order) => order === 0],
  ['<', (order) => order < 0],
  ['>=', (order) => order >= 0],
]);

class Parser {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    tokenPattern.lastIndex = 0;
    for (let end = 0; end < text.length; end = tokenPattern.lastIndex) {
      const [token] = tokenPattern.exec(text) ?? [];
      if (token === undefined) throw new Error(`no token at: ${text.slice(end, end + 40)}`);
      if (!/^\s|^--/.test(token)) this.#tokens.push(token);
    }
  }

  query(): Query {
    this.#take('SELECT');
    const columns = new Map<string, Node>();
    do {
      const start = this.#tokens[this.#at];
      const node = this.#comparison();
      const alias = this.#skip('AS') ? this.#name() : start;
      if (columns.has(alias.toLowerCase())) throw new Error(`two columns are called ${alias}`);
      columns.set(alias, node);
    } while (this.#skip(','));
    this.#take('FROM');
    const from = this.#name();
    const conditions: Node[] = [];
    if (this.#skip('WHERE'))
      do conditions.push(this.#comparison());
      while (this.#skip('AND'));
    if (this.#skip('ORDER')) {
      this.#take('BY');
      do {
        const name = this.#name();
        if (!columns.has(name)) throw new Error(`${name} is ordered and not selected`);
      } while (this.#skip(','));
    }
    if (this.#at !== this.#tokens.length)
      throw new Error(`unexpected text after the query: ${this.#tokens[this.#at]}`);
    return {
      columns,
      from,
      where: (scope) => conditions.every((condition) => condition(scope) === true),
    };
  }

  #comparison(): Node {
    const left = this.#xor();
    if (this.#skip('IS')) {
      this.#take('NOT');
      this.#take('NULL');
      return (scope) => left(scope) !== null;
    }
    for (const [operator, holds] of comparisons) {
      if (!this.#skip(operator)) continue;
      const right = this.#xor();
      return (scope) => {
        const order = compare(left(scope), right(scope));
        return order === null ? null : holds(order);
      };
    }
    return left;
  }

  #xor(): Node {
    let left = this.#sum();
    while (this.#skip('^')) {
      const [a, b] = [left, this.#sum()];
      left = (scope) =>
        (bytesOf(a(scope))?.map((byte, i) => byte ^ bytesOf(b(scope))![i]) as Buffer | null) ??
        null;
    }
    return left;
  }

  #sum(): Node {
    let left = this.#product();
    for (;;) {
      const minuend = left;
      if (this.#skip('+')) {
        const right = this.#product();
        left = (scope) => int64(minuend(scope), right(scope), (x, y) => x + y);
      } else if (this.#skip('-')) {
        const right = this.#product();
        left = (scope) => int64(minuend(scope), right(scope), (x, y) => x - y);
      } else return left;
    }
  }

  #product(): Node {
    let left = this.#unary();
    while (this.#skip('*')) {
      const [a, b] = [left, this.#unary()];
      left = (scope) => int64(a(scope), b(scope), (x, y) => x * y);
    }
    return left;
  }

  #unary(): Node {
    if (this.#skip('~')) {
      const inner = this.#unary();
      return (scope) =>
        (bytesOf(inner(scope))?.map((byte) => byte ^ 0xff) as Buffer | null) ?? null;
    }
    if (this.#skip('-')) {
      const inner = this.#unary();
      return (scope) => int64(0n, inner(scope), (zero, x) => zero - x);
    }
    let value = this.#primary();
    while (this.#skip('[')) {
      const base = value;
      const safe = this.#skip('SAFE_OFFSET');
      const index = this.#comparison();
      this.#take(']');
      value = (scope) => element(base(scope), index(scope), safe);
    }
    return value;
  }

  #primary(): Node {
    const token = this.#next();
    if (/^\d/.test(token)) return () => checked(BigInt(token));
    if (/^[rb]?'/.test(token)) return constant(literalOf(token));
    if (token.startsWith('`')) return variable(token.slice(1, -1));
    if (token === '(') return this.#until(this.#comparison(), ')');
    if (token === '[') {
      const items = this.#list(']');
      return (scope) => items.map((item) => item(scope));
    }
    if (token === 'CAST' || token === 'SAFE_CAST') return this.#cast(token === 'SAFE_CAST');
    if (token === 'CASE') return this.#case();
    if (this.#skip('(')) return this.#call(token);
    if (token === 'NULL') return () => null;
    return variable(token);
  }

  #case(): Node {
    const subject = this.#comparison();
    const branches: [Node, Node][] = [];
    while (this.#skip('WHEN')) {
      const when = this.#comparison();
      this.#take('THEN');
      branches.push([when, this.#comparison()]);
    }
    this.#take('END');
    return (scope) => {
      const value = subject(scope);
      return branches.find(([when]) => compare(value, when(scope)) === 0)?.[1](scope) ?? null;
    };
  }

  #cast(safe: boolean): Node {
    this.#take('(');
    const value = this.#comparison();
    this.#take('AS');
    const type = this.#next();
    this.#take(')');
    return (scope) => {
      try {
        return cast(value(scope), type);
      } catch (error) {
        if (safe) return null;
        throw error;
      }
    };
  }

  #call(name: string): Node {
    if (name === 'ARRAY_TRANSFORM') {
      const list = this.#comparison();
      this.#take(',');
      const parameter = this.#next();
      this.#take('->');
      const body = this.#until(this.#comparison(), ')');
      return (scope) =>
        (list(scope) as readonly Sql[] | null)?.map((each) =>
          body(new Map([...scope, [parameter, each]])),
        ) ?? null;
    }
    const args = this.#list(')');
    if (name === 'IF')
      return (scope) => (args[0](scope) === true ? args[1](scope) : args[2](scope));
    const run = functions[name];
    if (run === undefined) throw new Error(`there is no function ${name}`);
    return (scope) => run(args.map((each) => each(scope)));
  }

  #list(end: string): Node[] {
    const items: Node[] = [];
    if (!this.#skip(end)) {
      do items.push(this.#comparison());
      while (this.#skip(','));
      this.#take(end);
    }
    return items;
  }

  #until(node: Node, end: string): Node {
    this.#take(end);
    return node;
  }

  #name(): string {
    const token = this.#next();
    if (!token.startsWith('`')) throw new Error(`${token} is not a name in backticks`);
    return token.slice(1, -1);
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new Error('the query ends too early');
    return token;
  }

  #skip(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #take(token: string): void {
    const found = this.#next();
    if (found !== token) throw new Error(`${token} expected, found ${found}`);
  }
}

const constant =
  (value: Sql): Node =>
  () =>
    value;
const variable =
  (name: string): Node =>
  (scope) => {
    const value = scope.get(name);
    if (value === undefined) throw new Error(`there is no column ${name}`);
    return value;
  };

function literalOf(token: string): string | Buffer {
  if (token.startsWith('r')) return token.slice(2, -1);
  const text = token
    .slice(token.startsWith('b') ? 2 : 1, -1)
    .replace(/\\(x([0-9a-f]{2})|.)/g, (_, one: string, hex?: string) =>
      hex === undefined ? one : String.fromCharCode(parseInt(hex, 16)),
    );
  return token.startsWith('b') ? Buffer.from(text, 'latin1') : text;
}

function checked(value: bigint): bigint {
  if (value !== BigInt.asIntN(64, value)) throw new Error(`int64 overflow: ${value}`);
  return value;
}

function int64(a: Sql, b: Sql, run: (a: bigint, b: bigint) => bigint): Sql {
  if (a === null || b === null) return null;
  if (typeof a !== 'bigint' || typeof b !== 'bigint') throw new Error('arithmetic takes INT64');
  return checked(run(a, b));
}

function compare(a: Sql, b: Sql): number | null {
  if (a === null || b === null) return null;
  if (typeof a === 'bigint' && typeof b === 'bigint') return Number(a > b) - Number(a < b);
  return Buffer.compare(bytesOf(a)!, bytesOf(b)!);
}

function bytesOf(value: Sql): Buffer | null {
  if (value === null || Buffer.isBuffer(value)) return value;
  if (typeof value === 'string') return Buffer.from(value);
  throw new Error('bytes expected');
}

function element(base: Sql, index: Sql, safe: boolean): Sql {
  if (base === null || index === null) return null;
  if (base instanceof Map)
    return (base as ReadonlyMap<string, Sql>).get(bytesOf(index)!.toString('latin1')) ?? null;
  if (!safe) throw new Error('an array is indexed by SAFE_OFFSET');
  return (base as readonly Sql[])[Number(index)] ?? null;
}

function cast(value: Sql, type: string): Sql {
  if (value === null) return null;
  if (type === 'STRING' && value instanceof Day) return value.text;
  if (type === 'INT64' && typeof value === 'boolean') return value ? 1n : 0n;
  if (type === 'STRING')
    return Buffer.isBuffer(value)
      ? new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value)
      : String(value);
  if (typeof value !== 'string') throw new Error(`CAST to ${type} takes text`);
  if (type === 'INT64' && /^\s*[-+]?(\d+|0x[0-9a-fA-F]+)\s*$/.test(value))
    return checked(BigInt(value.trim()));
  if (type === 'DATE' && /^\d{4}-\d{2}-\d{2}$/.test(value)) return new Day(value);
  const millis = type === 'TIMESTAMP' ? Date.parse(value) : NaN;
  if (Number.isNaN(millis)) throw new Error(`${value} is not a ${type}`);
  return new Timestamp(BigInt(millis) * 1000n);
}

/** A function that returns NULL when an argument is NULL. */
const strict =
  (run: (...args: never[]) => Sql) =>
  (args: Sql[]): Sql =>
    args.includes(null) ? null : run(...(args as never[]));
const points = (text: string): string[] => Array.from(text);

const functions: Readonly<Record<string, ((args: Sql[]) => Sql) | undefined>> = {
  ABS: strict((x: bigint) => (x < 0n ? -x : x)),
  ARRAY_REVERSE: strict((list: Sql[]) => [...list].reverse()),
  ARRAY_TO_STRING: strict((list: string[], by: string) => list.join(by)),
  COALESCE: (args) => args.find((each) => each !== null) ?? null,
  CODE_POINTS_TO_STRING: strict((codes: bigint[]) => String.fromCodePoint(...codes.map(Number))),
  CONCAT: strict((...parts: string[]) => parts.join('')),
  DIV: strict((x: bigint, y: bigint) => x / y),
  FROM_HEX: strict((text: string) => Buffer.from(text, 'hex')),
  LENGTH: strict((value: string | Buffer) =>
    BigInt(typeof value === 'string' ? points(value).length : value.length),
  ),
  LPAD: strict((text: string, width: bigint, pad: string) => text.padStart(Number(width), pad)),
  MOD: strict((x: bigint, y: bigint) => x % y),
  NULLIF: ([value, none]) => (compare(value, none) === 0 ? null : value),
  PARSE_TIMESTAMP: strict((format: string, text: string) => {
    const [, year, month, day, hour = '00'] = (
      format === '%Y%m%d' ? /^(\d{4})(\d\d)(\d\d)$/ : /^(\d{4})(\d\d)(\d\d)(\d\d)$/
    ).exec(text)!;
    return new Timestamp(BigInt(Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`)) * 1000n);
  }),
  REGEXP_CONTAINS: strict((text: string, pattern: string) =>
    new RegExp(pattern.replace('(?s)', ''), 'su').test(text),
  ),
  LOWER: strict((text: string) => text.toLowerCase()),
  UNIX_MILLIS: strict(({ micros }: Timestamp) => micros / 1000n),
  REGEXP_EXTRACT: strict((text: string, pattern: string) => {
    const found = new RegExp(pattern.replace('(?s)', ''), 'su').exec(text);
    return found?.[1] ?? null;
  }),
  REGEXP_EXTRACT_ALL: strict((text: string, pattern: string) =>
    [...text.matchAll(new RegExp(pattern, 'gsu'))].map(([found]) => found),
  ),
  REGEXP_REPLACE: strict((text: string, pattern: string, by: string) =>
    text.replace(new RegExp(pattern, 'gsu'), by.replaceAll(/\\(\d)/g, '$$$1')),
  ),
  REPLACE: strict((value: string | Buffer, from: string | Buffer, to: string | Buffer) => {
    // A function, because `$` has a meaning in replacement text.
    if (typeof value === 'string') return value.replaceAll(from as string, () => to as string);
    const [bytes, before, after] = [value, from as Buffer, to as Buffer].map((each) =>
      each.toString('latin1'),
    );
    return Buffer.from(
      bytes.replaceAll(before, () => after),
      'latin1',
    );
  }),
  REVERSE: strict((text: string) => points(text).reverse().join('')),
  SPLIT: strict((text: string, by: string) => text.split(by)),
  STARTS_WITH: strict((text: string, start: string) => text.startsWith(start)),
  SUBSTR: ([value, from, length]) => {
    if (value === null) return null;
    const start = Number(from) - 1;
    const end = length === undefined ? undefined : start + Number(length);
    return typeof value === 'string'
      ? points(value).slice(start, end).join('')
      : (value as Buffer).subarray(start, end);
  },
  TIMESTAMP_SECONDS: strict((x: bigint) => new Timestamp(x * 1_000_000n)),
  TIMESTAMP_MILLIS: strict((x: bigint) => new Timestamp(x * 1000n)),
  TIMESTAMP_MICROS: strict((x: bigint) => new Timestamp(x)),
  TO_FLOAT32: strict((bytes: Buffer) => bytes.readFloatBE()),
  TO_FLOAT64: strict((bytes: Buffer) => bytes.readDoubleBE()),
  TO_HEX: strict((bytes: Buffer) => bytes.toString('hex')),
  TO_INT64: strict((bytes: Buffer) => bytes.readBigInt64BE()),
  TRANSLATE: strict((text: string, from: string, to: string) =>
    points(text)
      .map((point) => (from.includes(point) ? to[from.indexOf(point)] : point))
      .join(''),
  ),
};
