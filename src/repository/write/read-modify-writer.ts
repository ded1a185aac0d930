/** Increments and appends: one ReadModifyWriteRow for all that are made of a row. */
import { isMap, valueText } from '../../base/index.js';
import { equalBytes } from '../../bytes/index.js';
import { DateMap, indexPath, within } from '../../cell/index.js';
import {
  checkedAmount,
  damagedCellError,
  encodeQualifier,
  type MapColumn,
  invalidValueError,
} from '../../mapping/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import type { ReadModifyWriteRule, Row } from '../../store/index.js';
import { revisionAppender } from '../managed/managed-values.js';
import type { RowSender } from './row-sender.js';
import type { Values, WriteChecks } from './write-checks.js';

/** Increments and appends by property; entries of column maps as Maps. */
export interface ReadModifyChanges {
  readonly increment?: Values;
  readonly append?: Values;
}

/** The change of one cell, and where its new value belongs in the result. */
interface CellStep {
  readonly column: ColumnModel;
  /** The key of an entry of a column map. */
  readonly entry?: unknown;
  readonly rule: ReadModifyWriteRule;
}

/** A checked request. */
export interface ReadModifyRequest {
  readonly key: Uint8Array;
  readonly steps: readonly CellStep[];
}

function emptyMap(column: ColumnModel): Map<unknown, unknown> {
  const { kind } = (column as MapColumn).qualifiers.type;
  return kind === 'timestamp' ? new DateMap() : new Map();
}

/** The increments and appends of one repository. */
export class ReadModifyWriter {
  readonly #model: EntityModel;
  readonly #checks: WriteChecks;
  readonly #sender: RowSender;
  readonly #appendRevision: (() => ReadModifyWriteRule) | undefined;

  constructor(model: EntityModel, checks: WriteChecks, sender: RowSender) {
    this.#model = model;
    this.#checks = checks;
    this.#sender = sender;
    this.#appendRevision = revisionAppender(model);
  }

  /** Checks the changes. Throws INVALID_ARGUMENT and INVALID_VALUE. */
  requestOf(key: Values, { increment = {}, append = {} }: ReadModifyChanges): ReadModifyRequest {
    this.#checkObject('increment', increment);
    this.#checkObject('append', append);
    return {
      key: this.#model.key.encode(key),
      steps: [
        ...given(increment).flatMap(([property, amount]) => this.#increments(property, amount)),
        ...given(append).flatMap(([property, value]) => this.#appends(property, value)),
      ],
    };
  }

  /** Sends the request, if it changes anything, and returns the new values by property. */
  async send({ key, steps }: ReadModifyRequest, signal?: AbortSignal): Promise<Values> {
    if (steps.length === 0) return {};
    const rules = steps.map(({ rule }) => rule);
    // Counters are not part of what save() writes, so that increments do not conflict with it.
    if (this.#appendRevision !== undefined && steps.some(({ column }) => column.kind !== 'counter'))
      rules.push(this.#appendRevision());
    const row = await this.#sender.readModifyWrite(key, rules, signal);
    const result: Record<string, unknown> = {};
    for (const { column, entry, rule } of steps) {
      const value = this.#newValue(column, rule, row, key);
      if (entry === undefined) result[column.property] = value;
      else
        ((result[column.property] ??= emptyMap(column)) as Map<unknown, unknown>).set(entry, value);
    }
    return result;
  }

  #increments(property: string, amount: unknown): CellStep[] {
    const column = this.#checks.column(property, 'increment()');
    if (column.kind === 'columnMap') return this.#entryIncrements(column, amount);
    if (column.kind !== 'counter')
      throw this.#checks.argumentError(
        property,
        'only a counter can be incremented',
        `declare it with @Counter('${column.family}')`,
      );
    if (column.aggregate)
      throw this.#checks.argumentError(
        property,
        `the counter is in the aggregate family '${column.family}', to which one adds`,
        `call mutate(key, { add: { ${property}: amount } })`,
      );
    const { family, qualifier } = column;
    const checked = checkedAmount(this.#model, property, amount);
    return [{ column, rule: { kind: 'increment', family, qualifier, amount: checked } }];
  }

  #entryIncrements(column: MapColumn, amounts: unknown): CellStep[] {
    const { property, family } = column;
    if (column.codec.kind !== 'int64')
      throw this.#checks.argumentError(
        property,
        `its entries are ${column.codec.kind}, and only int64 can be incremented`,
        `declare it with @ColumnMap('${family}', 'int64'), or patch() the entry`,
      );
    if (column.aggregate)
      throw this.#checks.argumentError(
        property,
        `its entries are in the aggregate family '${family}', to which one adds`,
        `call incrementEntry(key, '${property}', entry, amount)`,
      );
    return this.#entries(property, amounts, '1n').map(([entry, amount]) => {
      const qualifier = this.#qualifier(column, entry);
      const checked = checkedAmount(this.#model, property + indexPath(entry), amount);
      return { column, entry, rule: { kind: 'increment', family, qualifier, amount: checked } };
    });
  }

  #appends(property: string, value: unknown): CellStep[] {
    const column = this.#checks.column(property, 'append()');
    if (property === this.#model.managed?.revision)
      throw this.#checks.argumentError(
        property,
        'it is the revision of the row, which the library sets',
        'append to another column',
      );
    if (!isAppendable(column))
      throw this.#checks.argumentError(
        property,
        'only a string or bytes column can be appended to',
        'patch() the whole value',
      );
    const { family } = column;
    if (column.kind === 'columnMap')
      return this.#entries(property, value, "'text'").map(([entry, each]) => {
        const qualifier = this.#qualifier(column, entry);
        const addition = this.#encode(column, each, indexPath(entry));
        return { column, entry, rule: { kind: 'append', family, qualifier, value: addition } };
      });
    if (column.kind === 'column' && column.alsoReads !== undefined)
      throw this.#checks.argumentError(
        property,
        'the value may be stored under an earlier qualifier, and storage cannot append across two',
        'patch() the whole value',
      );
    const { qualifier } = column;
    const addition = this.#encode(column, value);
    return [{ column, rule: { kind: 'append', family, qualifier, value: addition } }];
  }

  #entries(property: string, value: unknown, example: string): [unknown, unknown][] {
    if (isMap(value)) return [...value];
    throw this.#checks.argumentError(
      property,
      `the entries of a column map are given as a Map, not ${valueText(value)}`,
      `write new Map([['key', ${example}]])`,
    );
  }

  #qualifier(column: MapColumn, entry: unknown): Uint8Array {
    try {
      return encodeQualifier(column, entry);
    } catch (error) {
      throw invalidValueError(this.#model, column.property, error);
    }
  }

  #encode(column: ColumnModel, value: unknown, path?: string): Uint8Array {
    try {
      return column.codec.encode(value);
    } catch (error) {
      throw invalidValueError(
        this.#model,
        column.property,
        path === undefined ? error : within(error, path),
      );
    }
  }

  /** The value that a step has written, from the cells of the response. */
  #newValue(
    column: ColumnModel,
    { family, qualifier }: ReadModifyWriteRule,
    { cells }: Row,
    key: Uint8Array,
  ): unknown {
    const cell = cells.find(
      (each) => each.family === family && equalBytes(each.qualifier, qualifier),
    );
    if (cell === undefined) return undefined;
    try {
      return column.codec.decode(cell.value, 0, cell.value.length);
    } catch (error) {
      throw damagedCellError(this.#model, column, key, qualifier, error);
    }
  }

  #checkObject(name: string, changes: unknown): void {
    if (typeof changes === 'object' && changes !== null) return;
    throw this.#checks.argumentError(
      name,
      `\`${name}\` is ${valueText(changes)}, not an object of columns`,
      `write { ${name}: { column: ... } }`,
    );
  }
}

/** Properties whose value is not undefined. */
function given(changes: Values): [string, unknown][] {
  return Object.entries(changes).filter(([, value]) => value !== undefined);
}

/** A column whose values, or entries, are text or bytes. */
function isAppendable(
  column: ColumnModel,
): column is Extract<ColumnModel, { readonly kind: 'column' | 'packed' | 'columnMap' }> {
  if (column.kind !== 'column' && column.kind !== 'columnMap') return false;
  return column.codec.kind === 'string' || column.codec.kind === 'bytes';
}
