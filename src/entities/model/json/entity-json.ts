/** The JSON form of entities: a line of an export, without timestamps. Exact both ways. */
import {
  errorMessage,
  nearestName,
  type RowsmithError,
  type Values,
  valueText,
  wrongObject,
  type FaultTexts,
} from '../../../base/index.js';
import { argumentError } from '../argument-error.js';
import { CodecError, wrongTypeError } from '../../../data/cell/index.js';
import {
  columnJsonForm,
  entryKeyText,
  exactly,
  segmentTextForms,
  type TextForm,
} from '../../../data/text/index.js';
import { isEntityOf } from '../identity/same-entity.js';
import { givenValues } from '../rules/given-values.js';
import { assertValues } from '../rules/assert-values.js';
import { invalidValueError, invalidValuesError, isInvalidValue } from '../invalid-value.js';
import type { ColumnModel, EntityModel, SegmentModel } from '../model.js';

type JsonObject = Record<string, unknown>;

/** The JSON form of one entity class. */
export interface EntityJson {
  /**
   * The mapped properties of an entity or of a result of `select`. Throws INVALID_KEY without a
   * valid key, INVALID_VALUE for what a column cannot store, and INVALID_ARGUMENT for a name that
   * is not a property.
   */
  format(row: unknown): JsonObject;
  /**
   * The same for JSON.stringify: with the other properties of the object, which JSON.stringify
   * would write, and without a check of the key.
   */
  stringified(row: object): JsonObject;
  /**
   * The entity of a JSON value. Throws as `format`, and VALIDATION_FAILED for a value that breaks a
   * rule of its property or, unless `schemas` is false, is refused by a schema.
   */
  parse(value: unknown, schemas?: boolean): object;
}

const forms = new WeakMap<EntityModel, EntityJson>();

/** The JSON form of an entity class, compiled once. */
export function entityJson(model: EntityModel): EntityJson {
  const cached = forms.get(model);
  if (cached !== undefined) return cached;
  const form = compile(model);
  forms.set(model, form);
  return form;
}

function compile(model: EntityModel): EntityJson {
  const segments = new Map(
    model.segments.map(({ property, type }) => [property, exactly(segmentTextForms[type.kind])]),
  );
  const columns = new Map(model.columns.map((column) => [column.property, columnJsonForm(column)]));
  const properties = new Map<string, TextForm>([...segments, ...columns]);
  const { onParse } = givenValues(model);
  const entryKeys = model.columns.flatMap((column): [string, (key: unknown) => string][] =>
    column.kind === 'columnMap' ? [[column.property, entryKeyText(column.qualifiers)]] : [],
  );

  function write(row: Values): JsonObject {
    const output: JsonObject = {};
    for (const [property, form] of properties) {
      const value = row[property];
      if (value === undefined) continue;
      if (value !== null) output[property] = convert(model, property, form.format, value);
      else if (segments.has(property)) output[property] = null;
    }
    return output;
  }

  /** What `select` returns of parts of column maps: their keys, or their number. */
  function withoutParts(row: Values): { readonly parts: JsonObject; readonly others: Values } {
    const parts: JsonObject = {};
    for (const [property, keyText] of entryKeys) {
      const value = row[property];
      if (Array.isArray(value)) parts[property] = value.map(keyText);
      else if (typeof value === 'number') parts[property] = value;
    }
    if (Object.keys(parts).length === 0) return { parts, others: row };
    const others = Object.entries(row).filter(([property]) => !(property in parts));
    return { parts, others: Object.fromEntries(others) };
  }

  function parse(value: unknown, schemas = true): object {
    const wrong = wrongObject(value);
    if (wrong !== undefined)
      throw argumentError(
        model,
        'value',
        faults.notAnObject(
          wrong.given,
          wrong.fix ?? 'write fromJSON({ ... }) with the result of JSON.parse(text)',
        ),
      );
    checkNames(model, Object.keys(value as Values), properties);
    // A class may assign initial values: what the JSON lacks is absent.
    const initial = model.columns.map(({ property }): [string, unknown] => [property, undefined]);
    const values = Object.fromEntries(initial);
    forEachValue(model, value as Values, (property, input) => {
      // As in imports, null is an absent column. For a segment it is a value.
      if (input !== null)
        values[property] = convert(model, property, properties.get(property)!.parse, input);
      else if (segments.has(property)) values[property] = null;
    });
    onParse?.(values);
    model.key.encode(values);
    Object.assign(values, model.key.scope?.values());
    assertValues(model, values, 'fromJSON()', schemas);
    return Object.assign(new model.entityClass(), values);
  }

  return {
    format(row) {
      if (typeof row !== 'object' || row === null)
        throw argumentError(model, 'row', faults.notAnEntity(row));
      // Instances may have properties that are not stored, as in save().
      if (!isEntityOf(model, row)) checkNames(model, Object.keys(row), properties);
      model.key.encode(row as Values);
      return write(row as Values);
    },
    stringified(row) {
      const { parts, others } = withoutParts(row as Values);
      const output = { ...write(others), ...parts };
      for (const [name, value] of Object.entries(row))
        if (!properties.has(name) && name !== '__proto__') output[name] = value;
      return output;
    },
    parse,
  };
}

/** Calls `read` with each property; the values that are wrong are one error. */
function forEachValue(
  model: EntityModel,
  given: Values,
  read: (property: string, value: unknown) => void,
): void {
  const errors: RowsmithError[] = [];
  for (const [property, value] of Object.entries(given)) {
    try {
      read(property, value);
    } catch (error) {
      if (!isInvalidValue(error)) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw invalidValuesError(model, errors as [RowsmithError]);
}

/** A value that is not of the kind of its property may make a form fail in any way. */
function convert(
  model: EntityModel,
  property: string,
  form: (value: unknown) => unknown,
  value: unknown,
): unknown {
  try {
    return form(value);
  } catch (error) {
    if (error instanceof CodecError) throw invalidValueError(model, property, error);
    const problem = wrongTypeError('a value of its kind', value, errorMessage(error));
    throw invalidValueError(model, property, problem);
  }
}

function checkNames(
  model: EntityModel,
  names: readonly string[],
  properties: ReadonlyMap<string, unknown>,
): void {
  const unknown = names.find((name) => !properties.has(name));
  if (unknown === undefined) return;
  const known = [...properties.keys()];
  const nearest = nearestName(unknown, known);
  let fix = `its properties are ${known.join(', ')}`;
  if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
  // Written by exports, which keep timestamps and versions: leaving them out would lose them.
  if (unknown.startsWith('@')) fix = 'import the line with importRows(), or export with `plain`';
  throw argumentError(model, unknown, faults.unknownProperty(model.name, unknown, fix));
}

/** Kinds of single values that JSON.stringify writes as their JSON form without help. */
const plainColumns = ['string', 'bool', 'int32', 'uint32', 'timestamp', 'date', 'json'];
const specialSegments = ['bytes', 'bigint', 'micros', 'float'];

/**
 * A function that completes a result that is a plain object: where JSON.stringify would lose a
 * value it gets a `toJSON`, which is not enumerable, so that results are equal to other plain
 * objects, and are cloned as such. Undefined if no value of the columns can be lost.
 */
export function plainRowJson(
  model: EntityModel,
  columns: readonly ColumnModel[],
): ((row: Values) => void) | undefined {
  const special = [
    ...model.segments.filter(isSpecialSegment),
    ...columns.filter(isSpecialColumn),
  ].map(({ property }) => property);
  if (special.length === 0) return undefined;
  const method: PropertyDescriptor = {
    value: function toJSON(this: object): object {
      return entityJson(model).stringified(this);
    },
    writable: true,
    configurable: true,
  };
  return (row) => {
    // Defining the method was measured to take 0.3 us: most numbers need none.
    if (special.some((property) => isLost(row[property])))
      Object.defineProperty(row, 'toJSON', method);
  };
}

function isLost(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value) || Object.is(value, -0);
  return value !== undefined && value !== null;
}

function isSpecialColumn({ kind, codec }: ColumnModel): boolean {
  return kind !== 'column' || !plainColumns.includes(codec.kind);
}

function isSpecialSegment({ type }: SegmentModel): boolean {
  return specialSegments.includes(type.kind);
}

const faults = {
  notAnObject: (given: string, fix: string) => ({
    problem: `fromJSON() takes an object, not ${given}`,
    fix,
  }),
  notAnEntity: (row: unknown) => ({
    problem: `toJSON() takes an entity, not ${valueText(row)}`,
    fix: 'give an entity, or a result of select()',
  }),
  unknownProperty: (name: string, unknown: string, fix: string) => ({
    problem: `${name} has no property '${unknown}'`,
    fix,
  }),
} satisfies FaultTexts;
