/** The text of a message's encoder: one straight run over its fields. See decoder-source.ts. */
import { CodecText, type Dialect } from './codec-text.js';
import { quoted } from './decoder-source.js';
import { keyKind } from './map-entry.js';
import type { FieldShape, FieldType, MessageShape } from '../wire/message-shape.js';
import { scalarName, tagOf, wireType } from '../wire/wire-kind.js';
import { deepest } from '../wire/wire-reader.js';

/**
 * An expression: the function that makes the encoder of a shape from its scope. Every name from a
 * declaration is quoted in it.
 */
export function encoderSource(shape: MessageShape, dialect: Dialect): string {
  const text = new CodecText(dialect);
  const oneofs = [...new Set(shape.fields.flatMap((field) => field.oneof ?? []))];
  const repeats = shape.fields.some((field) => field.label === 'repeated');
  const maps = shape.fields.some((field) => field.label === 'map');
  const variables = [
    'field = -1',
    ...(shape.fields.some(short) ? ['at = 0'] : []),
    ...(repeats ? ['i = -1'] : []),
    ...(maps ? ['key'] : []),
  ];
  return text.around(`(w, value, depth) => {
    if (depth > ${deepest}) ${text.use('checkDepth')}(depth);
    if (!(value instanceof ${text.use('messageClass')})) ${text.use('checkForm')}(${text.use('shape')}, value);
    let k = 0;
    for (const name in value) {
      if (name === ${text.use('keys')}[k]) k++;
      else if (!${text.use('names')}.has(name)) ${text.use('checkStranger')}(shape, value, name);
    }
    ${oneofs.map((oneof) => oneofSource(shape, oneof, text)).join('')}let ${variables.join(', ')};
    try {${shape.fields.map((_, i) => fieldSource(shape, i, text)).join('')}
    } catch (fault) {
      throw ${text.use('within')}(fault, ${text.use('writePlace')}(shape, field, ${repeats ? 'i' : '-1'}, ${maps ? 'key' : 'undefined'}));
    }
    const unknown = value[${text.use('unknownFields')}];
    if (unknown !== undefined) w.raw(${text.use('unknownBytes')}(unknown));
  }`);
}

function oneofSource(shape: MessageShape, oneof: string, text: CodecText): string {
  const set = shape.fields
    .filter((field) => field.oneof === oneof)
    .map((field) => `(value[${quoted(field.name)}] == null ? 0 : 1)`);
  return `if (${set.join(' + ')} > 1) ${text.use('checkOneof')}(shape, value, ${quoted(oneof)});\n    `;
}

/** A tag (5 bytes) and a scalar without a length (10), with one to spare. */
const scalarRoom = 16;

function fieldSource(shape: MessageShape, i: number, text: CodecText): string {
  const field = shape.fields[i];
  const before = `
      field = ${i};`;
  if (short(field))
    return `${before}${runStart(shape, i)}${shortSource(field, i, text)}${
      short(shape.fields[i + 1])
        ? ''
        : `
      w.at = at;`
    }`;
  const write =
    field.label === 'map'
      ? writeMap(field, i, text)
      : field.label === 'repeated'
        ? writeList(field, i, text)
        : `
          w.tag(${tagOf(field.number, 2)});
          ${writeSource(field.type, i, 'x', 'depth', text)}`;
  return `${before}
      {
        const x = value[${quoted(field.name)}];
        if (x !== undefined && x !== null) {${write}
        }
      }`;
}

/** Whether the field is one scalar without a length. */
function short(field: FieldShape | undefined): boolean {
  return field !== undefined && field.label === 'singular' && wireType(field.type) !== 2;
}

/**
 * Space is made once for a run of short fields, whose end is kept in `at`; everything else makes
 * its own.
 */
function runStart({ fields }: MessageShape, i: number): string {
  if (short(fields[i - 1])) return '';
  const end = fields.findIndex((field, at) => at > i && !short(field));
  return ` w.room(${scalarRoom * ((end < 0 ? fields.length : end) - i)}); at = w.at;`;
}

/**
 * Writes a short field at `at`: usual values in place, what is left and the faults by the function
 * of its kind.
 */
function shortSource(field: FieldShape, i: number, text: CodecText): string {
  const tag = writeTag(tagOf(field.number, wireType(field.type)));
  const usual = inPlace(field.type);
  const write = writeSource(field.type, i, 'x', 'depth', text);
  const checked = usual?.all === true ? write : `{ ${tag} w.at = at; ${write} at = w.at; }`;
  return `
      {
        const x = value[${quoted(field.name)}];
        ${
          usual === undefined
            ? ''
            : `if (${usual.test}) { ${tag} ${usual.write} }
        else `
        }if (x !== undefined && x !== null) ${checked}
      }`;
}

/**
 * What a value must be to be written in place, and how it is; `all`: any other is a fault, which
 * the function of the kind tells.
 */
function inPlace(
  type: FieldType,
): { readonly test: string; readonly write: string; readonly all?: true } | undefined {
  const varint = 'for (; n > 127; n >>>= 7) w.bytes[at++] = n | 128; w.bytes[at++] = n;';
  switch (type.kind === 'message' ? undefined : scalarName(type)) {
    // NaN has bytes of its own.
    case 'double':
      return {
        test: `typeof x === 'number' && !Number.isNaN(x)`,
        write: 'w.view.setFloat64(at, x, true); at += 8;',
      };
    case 'bool':
      return { test: `typeof x === 'boolean'`, write: 'w.bytes[at++] = x ? 1 : 0;', all: true };
    case 'uint32':
      return {
        test: `typeof x === 'number' && x >>> 0 === x`,
        write: `let n = x; ${varint}`,
        all: true,
      };
    case 'sint32':
      return {
        test: `typeof x === 'number' && (x | 0) === x`,
        write: `let n = ((x << 1) ^ (x >> 31)) >>> 0; ${varint}`,
        all: true,
      };
    // A negative one takes ten bytes.
    case 'int32':
      return {
        test: `typeof x === 'number' && (x | 0) === x && x >= 0`,
        write: `let n = x; ${varint}`,
      };
    default:
      return undefined;
  }
}

/** The bytes of a tag at `at`, where there is space. */
function writeTag(tag: number): string {
  const bytes = [];
  for (; tag > 0x7f; tag >>>= 7) bytes.push((tag & 0x7f) | 0x80);
  return [...bytes, tag].map((byte) => `w.bytes[at++] = ${byte};`).join(' ');
}

function writeList(field: FieldShape, i: number, text: CodecText): string {
  const wire = wireType(field.type);
  const tag = tagOf(field.number, 2);
  const each = (before: string): string => `
          for (i = 0; i < list.length; i++) {
            ${before}
            ${writeSource(field.type, i, 'list[i]', 'depth', text)}
          }
          i = -1;`;
  const list = `
          const list = ${text.use('listOf')}(x);`;
  if (wire === 2) return `${list}${each(`w.tag(${tag});`)}`;
  return `${list}
          if (list.length > 0) {
          w.tag(${tag});
          const packed = w.open();${each('w.room(16);')}
          w.close(packed);
          }`;
}

function writeMap(field: FieldShape, i: number, text: CodecText): string {
  const kind = keyKind(field);
  const write = text.make(`write_${field.mapKey}`, `${text.use('kinds')}.${field.mapKey}.write`);
  return `
          for (const pair of ${text.use('mapOf')}(x)) {
            key = pair[0];
            w.tag(${tagOf(field.number, 2)});
            const opened = w.open();
            w.tag(${tagOf(1, kind.wire)});
            ${write}(w, key);
            w.tag(${tagOf(2, wireType(field.type))});
            ${writeSource(field.type, i, 'pair[1]', 'depth + 1', text)}
            w.close(opened);
          }
          key = undefined;`;
}

/** Statements that write the expression `x`, with its length where it has one. */
function writeSource(
  type: FieldType,
  i: number,
  x: string,
  depth: string,
  text: CodecText,
): string {
  if (type.kind !== 'message') {
    const scalar = scalarName(type);
    return `${text.make(`write_${scalar}`, `${text.use('kinds')}.${scalar}.write`)}(w, ${x});`;
  }
  const child = text.make(`child${i}`, `${text.use('child')}(${i})`);
  return `const start = w.open(); ${child}.encode(w, ${x}, ${depth} + 1); w.close(start);`;
}
