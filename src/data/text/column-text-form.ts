/** The text form of cells and of columns. */
import { isDate, isMap, type FaultTexts, isRecord } from '../../base/index.js';
import {
  type CellCodec,
  CodecError,
  DateMap,
  indexPath,
  type MessageShape,
  within,
  wrongTypeError,
} from '../cell/index.js';
import { type QualifierCodec, QualifierError } from '../key/index.js';
import { exactly } from './exact-text-form.js';
import { messageTextForm } from './message-text-form.js';
import {
  bytes,
  scalarTextForms,
  segmentTextForms,
  type TextForm,
  timestampForm,
} from './text-form.js';

/** What a text form needs to know of a column: a ColumnModel, below the layer of models. */
export interface TextColumn {
  readonly kind: 'column' | 'packed' | 'counter' | 'columnMap' | 'versions';
  readonly codec: CellCodec;
  readonly message?: MessageShape;
  /** Of column maps. */
  readonly qualifiers?: QualifierCodec;
}

/**
 * The text form of one cell of a column. Custom codecs are written as the bytes of the cell. `zone`
 * is the offset of timestamps without one; fields of messages always have one.
 */
export function cellTextForm({ codec, message }: TextColumn, zone?: string): TextForm {
  if (message !== undefined) return messageTextForm(message);
  if (codec.kind === 'timestamp') return timestampForm(zone);
  if (Object.hasOwn(scalarTextForms, codec.kind))
    return scalarTextForms[codec.kind as keyof typeof scalarTextForms];
  return {
    kind: 'text',
    format: (value) => bytes.format(codec.encode(value)),
    parse(input) {
      const cell = bytes.parse(input) as Uint8Array;
      return codec.decode(cell, 0, cell.length);
    },
  };
}

/**
 * The JSON form of a column's value: cells as `cellTextForm`, a column map as an object, versions
 * as a list of `{ at, value }`. Both directions reject values that the column cannot store, and
 * parsing accepts only what formatting returns. They throw CodecError.
 */
export function columnJsonForm(column: TextColumn): TextForm {
  const cell = cellJsonForm(column);
  switch (column.kind) {
    case 'columnMap':
      return mapForm(cell, entryKeys(column.qualifiers!));
    case 'versions':
      return versionsForm(cell);
    default:
      return cell;
  }
}

function cellJsonForm(column: TextColumn): TextForm {
  const { codec, message } = column;
  const form =
    message === undefined ? exactly(cellTextForm(column)) : messageTextForm(message, exactly);
  return {
    kind: 'json',
    format(value) {
      codec.encode(value);
      return form.format(value);
    },
    parse(input) {
      const value = form.parse(input);
      codec.encode(value);
      return value;
    },
  };
}

/** The keys of the entries of a map, which are the names of a JSON object. */
interface EntryKeys {
  readonly format: (key: unknown) => string;
  readonly parse: (name: string) => unknown;
  readonly emptyMap: () => Map<unknown, unknown>;
}

function entryKeys(qualifiers: QualifierCodec): EntryKeys {
  const { kind } = qualifiers.type;
  const form = segmentTextForms[kind];
  function format(key: unknown): string {
    try {
      qualifiers.encode(key);
    } catch (error) {
      if (!(error instanceof QualifierError)) throw error;
      throw new CodecError({ problem: error.message, fix: error.fix });
    }
    return String(form.format(key));
  }
  return {
    format,
    parse(name) {
      const key = form.parse(name);
      const written = format(key);
      if (written === name) return key;
      throw wrongTypeError(
        `the key ${JSON.stringify(written)}`,
        name,
        'write it as toJSON() does',
        'write it as rowsmith get prints it',
      );
    },
    emptyMap: () => (kind === 'timestamp' ? new DateMap<unknown>() : new Map()),
  };
}

/** A function that reads a key of a column map from its text. It throws CodecError. */
export function parseEntryKey(qualifiers: QualifierCodec): (name: string) => unknown {
  return entryKeys(qualifiers).parse;
}

/** A function that writes a key of a column map as text. It throws CodecError. */
export function entryKeyText(qualifiers: QualifierCodec): (key: unknown) => string {
  return entryKeys(qualifiers).format;
}

function mapForm(cell: TextForm, keys: EntryKeys): TextForm {
  return {
    kind: 'json',
    format(value) {
      if (!isMap(value)) throw wrongTypeError('a Map', value, 'give a Map from qualifier to value');
      // Without a prototype: a qualifier may be `__proto__`.
      const output = Object.create(null) as Record<string, unknown>;
      for (const [key, entry] of value) {
        if (entry === undefined || entry === null) continue;
        const name = at(indexPath(key), () => keys.format(key));
        output[name] = at(indexPath(name), () => cell.format(entry));
      }
      return output;
    },
    parse(input) {
      if (!isRecord(input))
        throw wrongTypeError('an object of entries', input, 'write { "qualifier": value }');
      const map = keys.emptyMap();
      for (const [name, entry] of Object.entries(input))
        at(indexPath(name), () => map.set(keys.parse(name), cell.parse(entry)));
      return map;
    },
  };
}

function versionsForm(cell: TextForm): TextForm {
  const time = exactly(segmentTextForms.timestamp);
  const fix = 'write [{ "at": "2026-11-20T09:30:00.000Z", "value": ... }]';
  return {
    kind: 'json',
    format(value) {
      if (!Array.isArray(value)) throw wrongTypeError('an array of { at, value }', value, fix);
      return (value as readonly { readonly at: unknown; readonly value: unknown }[]).map(
        (version, i) =>
          at(indexPath(i), () => {
            if (!isRecord(version)) throw wrongTypeError('{ at, value }', version, fix);
            if (!isDate(version.at)) throw wrongTypeError('a Date as `at`', version.at, fix);
            return { at: time.format(version.at), value: cell.format(version.value) };
          }),
      );
    },
    parse(input) {
      if (!Array.isArray(input)) throw wrongTypeError('a list of versions', input, fix);
      return (input as unknown[]).map((version, i) =>
        at(indexPath(i), () => {
          if (!isRecord(version)) throw wrongTypeError('{ at, value }', version, fix);
          const unknown = Object.keys(version).find((name) => name !== 'at' && name !== 'value');
          if (unknown !== undefined) throw new CodecError(faults.unknownProperty(unknown));
          const parsed = time.parse(version.at) as Date;
          if (parsed.getTime() < 0) throw new CodecError(faults.versionOutOfRange);
          return { at: parsed, value: cell.parse(version.value) };
        }),
      );
    },
  };
}

function at<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (fault) {
    throw within(fault, path);
  }
}

const faults = {
  unknownProperty: (unknown: string) => ({
    problem: `a version has no property '${unknown}'`,
    fix: 'leave it out',
  }),
  versionOutOfRange: { problem: 'a version is before 1970', fix: 'give timestamps since 1970' },
} satisfies FaultTexts;
