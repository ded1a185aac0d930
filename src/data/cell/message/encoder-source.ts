/**
 * Generates the source of a message's encoder, without loops over fields. See decoder-source.ts.
 */
import type { FieldShape, FieldType, MessageShape } from '../wire/message-shape.js';
import { scalarName, tagOf, wireType } from '../wire/wire-kind.js';
import { maxDepth } from '../wire/wire-reader.js';
import { scalarSpace } from '../wire/wire-writer.js';
import { CodecText, type Dialect } from './codec-text.js';
import { oneofNames } from './compiled-message.js';
import { quoted } from './decoder-source.js';
import { keyKind } from './map-entry.js';

/**
 * The source of a function expression that creates the encoder of a message from its scope. All
 * names from declarations are quoted.
 */
export function encoderSource(shape: MessageShape, dialect: Dialect): string {
  const text = new CodecText(dialect);
  const hasLists = shape.fields.some((field) => field.label === 'repeated');
  const hasMaps = shape.fields.some((field) => field.label === 'map');
  const variables = ['field = -1'];
  if (shape.fields.some(isFixedSpace)) variables.push('at = 0');
  if (hasLists) variables.push('i = -1');
  if (hasMaps) variables.push('key');
  const index = hasLists ? 'i' : '-1';
  const key = hasMaps ? 'key' : 'undefined';
  return text.wrap(`(w, value, depth) => {
    if (depth > ${maxDepth}) ${text.use('checkDepth')}(depth);
    if (!(value instanceof ${text.use('messageClass')})) ${text.use('checkForm')}(${text.use('shape')}, value);
    let k = 0;
    for (const name in value) {
      if (name === ${text.use('keys')}[k]) k++;
      else if (!${text.use('names')}.has(name)) ${text.use('checkStranger')}(shape, value, name);
    }
    ${oneofChecks(shape, text)}let ${variables.join(', ')};
    try {${shape.fields.map((_, i) => fieldSource(shape, i, text)).join('')}
    } catch (fault) {
      throw ${text.use('within')}(fault, ${text.use('writePlace')}(shape, field, ${index}, ${key}));
    }
    const unknown = value[${text.use('unknownFields')}];
    if (unknown !== undefined) w.raw(${text.use('unknownBytes')}(unknown));
  }`);
}

function oneofChecks(shape: MessageShape, text: CodecText): string {
  const checks = oneofNames(shape).map((oneof) => {
    const counts = shape.fields
      .filter((field) => field.oneof === oneof)
      .map((field) => `(value[${quoted(field.name)}] == null ? 0 : 1)`);
    const check = `${text.use('checkOneof')}(shape, value, ${quoted(oneof)})`;
    return `if (${counts.join(' + ')} > 1) ${check};\n    `;
  });
  return checks.join('');
}

function fieldSource(shape: MessageShape, i: number, text: CodecText): string {
  const field = shape.fields[i];
  const before = `
      field = ${i};`;
  if (isFixedSpace(field)) {
    const write = writeFixedSpace(field, i, text);
    return `${before}${startRun(shape, i)}${write}${endRun(shape, i)}`;
  }
  return `${before}
      {
        const x = value[${quoted(field.name)}];
        if (x !== undefined && x !== null) {${writeField(field, i, text)}
        }
      }`;
}

/** Whether a field is a single scalar without a length, for which a fixed space can be reserved. */
function isFixedSpace(field: FieldShape): boolean {
  return field.label === 'singular' && wireType(field.type) !== 2;
}

/** Reserves the space for a run of such fields. Within a run, `at` is the write index. */
function startRun({ fields }: MessageShape, start: number): string {
  if (start > 0 && isFixedSpace(fields[start - 1])) return '';
  let end = start;
  while (end < fields.length && isFixedSpace(fields[end])) end++;
  return ` w.room(${scalarSpace * (end - start)}); at = w.at;`;
}

function endRun({ fields }: MessageShape, i: number): string {
  if (i + 1 < fields.length && isFixedSpace(fields[i + 1])) return '';
  return `
      w.at = at;`;
}

/** Writes usual values in place; leaves rare values, and errors, to the writer of their kind. */
function writeFixedSpace(field: FieldShape, i: number, text: CodecText): string {
  const tag = writeTag(tagOf(field.number, wireType(field.type)));
  const usual = inPlaceWriter(field.type);
  const write = writeSource(field.type, i, 'x', 'depth', text);
  const writeOther =
    usual?.isExhaustive === true ? write : `{ ${tag} w.at = at; ${write} at = w.at; }`;
  let writeUsual = '';
  if (usual !== undefined)
    writeUsual = `if (${usual.test}) { ${tag} ${usual.write} }
        else `;
  return `
      {
        const x = value[${quoted(field.name)}];
        ${writeUsual}if (x !== undefined && x !== null) ${writeOther}
      }`;
}

interface InPlaceWriter {
  /** Whether the value `x` is written in place. */
  readonly test: string;
  readonly write: string;
  /** Whether all other values are errors, so that the writer of the kind always throws. */
  readonly isExhaustive: boolean;
}

function inPlaceWriter(type: FieldType): InPlaceWriter | undefined {
  if (type.kind === 'message') return undefined;
  const varint = 'for (; n > 127; n >>>= 7) w.bytes[at++] = n | 128; w.bytes[at++] = n;';
  switch (scalarName(type)) {
    // NaN is written by writeDouble.
    case 'double':
      return {
        test: `typeof x === 'number' && !Number.isNaN(x)`,
        write: 'w.view.setFloat64(at, x, true); at += 8;',
        isExhaustive: false,
      };
    case 'bool':
      return {
        test: `typeof x === 'boolean'`,
        write: 'w.bytes[at++] = x ? 1 : 0;',
        isExhaustive: true,
      };
    case 'uint32':
      return {
        test: `typeof x === 'number' && x >>> 0 === x`,
        write: `let n = x; ${varint}`,
        isExhaustive: true,
      };
    case 'sint32':
      return {
        test: `typeof x === 'number' && (x | 0) === x`,
        write: `let n = ((x << 1) ^ (x >> 31)) >>> 0; ${varint}`,
        isExhaustive: true,
      };
    // Negative values take ten bytes and are written by writeInt32.
    case 'int32':
      return {
        test: `typeof x === 'number' && (x | 0) === x && x >= 0`,
        write: `let n = x; ${varint}`,
        isExhaustive: false,
      };
    default:
      return undefined;
  }
}

/** Writes the bytes of a tag at `at`, in reserved space. */
function writeTag(tag: number): string {
  const bytes = [];
  for (; tag > 0x7f; tag >>>= 7) bytes.push((tag & 0x7f) | 0x80);
  return [...bytes, tag].map((byte) => `w.bytes[at++] = ${byte};`).join(' ');
}

/** Writes a list, a Map, or a length-delimited value. */
function writeField(field: FieldShape, i: number, text: CodecText): string {
  if (field.label === 'map') return writeMap(field, i, text);
  if (field.label === 'repeated') return writeList(field, i, text);
  return `
          w.tag(${tagOf(field.number, 2)});
          ${writeSource(field.type, i, 'x', 'depth', text)}`;
}

function writeList(field: FieldShape, i: number, text: CodecText): string {
  const tag = tagOf(field.number, 2);
  const list = `
          const list = ${text.use('listOf')}(x);`;
  const loop = (before: string): string => `
          for (i = 0; i < list.length; i++) {
            ${before}
            ${writeSource(field.type, i, 'list[i]', 'depth', text)}
          }
          i = -1;`;
  if (wireType(field.type) === 2) return `${list}${loop(`w.tag(${tag});`)}`;
  return `${list}
          if (list.length > 0) {
          w.tag(${tag});
          const packed = w.open();${loop(`w.room(${scalarSpace});`)}
          w.close(packed);
          }`;
}

function writeMap(field: FieldShape, i: number, text: CodecText): string {
  const kind = keyKind(field);
  const write = text.constant(
    `write_${field.mapKey}`,
    `${text.use('kinds')}.${field.mapKey}.write`,
  );
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

/** Statements that write the value of the expression `x`, including the length if it has one. */
function writeSource(
  type: FieldType,
  i: number,
  x: string,
  depth: string,
  text: CodecText,
): string {
  if (type.kind === 'message') {
    const child = text.constant(`child${i}`, `${text.use('child')}(${i})`);
    return `const start = w.open(); ${child}.encode(w, ${x}, ${depth} + 1); w.close(start);`;
  }
  const scalar = scalarName(type);
  const write = text.constant(`write_${scalar}`, `${text.use('kinds')}.${scalar}.write`);
  return `${write}(w, ${x});`;
}
