/**
 * The text of a message's decoder: one switch over tags, values read in place, one-byte lengths and
 * varints without a call. See codec-text.ts for where it goes; closure-decoder.ts does the same
 * without text.
 */
import { CodecText, type Dialect } from './codec-text.js';
import type { FieldShape, FieldType, MessageShape } from '../wire/message-shape.js';
import type { FieldKind } from '../scalar/scalar-type.js';
import { scalarName, tagOf, wireKind, wireType } from '../wire/wire-kind.js';
import { deepest } from '../wire/wire-reader.js';

/**
 * An expression: the function that makes the decoder of a shape from its scope. Every name from a
 * declaration is quoted in it.
 */
export function decoderSource(shape: MessageShape, dialect: Dialect): string {
  const text = new CodecText(dialect);
  const cases = shape.fields.map((field, i) => fieldCases(shape, field, i, text)).join('');
  const create = text.make(
    'create',
    `${text.use('maker')}(() => new ${text.use('messageClass')}())`,
  );
  return text.around(`(earlier, b, at, end, depth) => {
    if (depth > ${deepest}) ${text.use('checkDepth')}(depth);
    const m = earlier === undefined ? ${create}() : earlier;
    ${[text.numbers, ...shape.fields.map((field, i) => declareField(field, i, text))]
      .filter((line) => line !== '')
      .map((line) => `${line}\n    `)
      .join('')}let tag = 0, from = 0, kept;
    try {
      while (at < end) {
        from = at;
        tag = ${text.byte('at++')};
        if (tag > 127) { tag = 0; tag = ${text.use('readTag')}(b, from, end); at = ${text.use('cursor')}.at; }
        switch (tag) {${cases}
        }
        at = ${text.use('skip')}(b, at, end, tag, depth);
        kept = ${text.use('keep')}(kept, from, at);
      }
    } catch (fault) {
      throw ${text.use('within')}(fault, ${text.use('readPlace')}(${text.use('shape')}, tag, m));
    }
    if (kept !== undefined) m[${text.use('unknownFields')}] = ${text.use('gather')}(b, kept, earlier === undefined ? undefined : earlier[unknownFields]);
    return m;
  }`);
}

/**
 * Repeated and map fields keep their collection in `v`; fields whose earlier value matters keep in
 * `h` whether there is one.
 */
function declareField(field: FieldShape, i: number, text: CodecText): string {
  const property = propertyOf(field);
  if (field.label !== 'singular')
    return `let v${i} = earlier === undefined ? undefined : ${text.use(field.label === 'map' ? 'heldMap' : 'heldList')}(${property});`;
  return watched(field)
    ? `let h${i} = earlier !== undefined && ${text.use('isSet')}(${property});`
    : '';
}

function watched(field: FieldShape): boolean {
  return field.oneof !== undefined || field.type.kind === 'message';
}

/** The property of the message `m`, as source. */
function propertyOf(field: FieldShape): string {
  return `m[${quoted(field.name)}]`;
}

/** A text as a literal of JavaScript. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function readLength(text: CodecText): string {
  const n = text.number('n');
  const stop = text.number('stop');
  return `if (at < end && (${n} = ${text.byte('at')}) < 128 && at + 1 + n <= end) { at++; ${stop} = at + n; } else { stop = ${text.use('readEnd')}(b, at, end); at = ${text.use('cursor')}.at; }`;
}

function fieldCases(shape: MessageShape, field: FieldShape, i: number, text: CodecText): string {
  if (field.label === 'map') return mapCase(field, i, text);
  const wire = wireType(field.type);
  const read = (end: string, earlier?: string): string =>
    readSource(field.type, i, end, text, earlier);
  if (field.label === 'singular')
    return oneCase(
      field.number,
      wire,
      `${read('end', watched(field) ? `h${i} ? ${propertyOf(field)} : undefined` : undefined)}
            ${propertyOf(field)} = x;${settle(shape, field, i)}`,
    );
  const list = `if (v${i} === undefined) ${propertyOf(field)} = v${i} = [];`;
  const single = oneCase(
    field.number,
    wire,
    `${list}
            ${read('end')}
            v${i}.push(x);`,
  );
  if (wire === 2) return single;
  // A packed run of no values is no list: it would not be written again.
  return (
    single +
    oneCase(
      field.number,
      2,
      `${readLength(text)}
            const last = stop;
            if (at < last) {
              ${list}
              while (at < last) {
                ${read('last').replaceAll('\n', '\n    ')}
                v${i}.push(x);
              }
            }`,
    )
  );
}

function oneCase(number: number, wire: number, body: string): string {
  return `
          case ${tagOf(number, wire)}: {
            ${body}
            continue;
          }`;
}

/**
 * After a singular field is set: remember it where that matters, and clear its rivals in the oneof.
 */
function settle(shape: MessageShape, field: FieldShape, i: number): string {
  if (!watched(field)) return '';
  const rivals = shape.fields.map((other, j) =>
    j === i || field.oneof === undefined || other.oneof !== field.oneof
      ? ''
      : `
            if (h${j}) { ${propertyOf(other)} = undefined; h${j} = false; }`,
  );
  return `
            h${i} = true;${rivals.join('')}`;
}

function mapCase(field: FieldShape, i: number, text: CodecText): string {
  const reader = text.make(`readEntry${i}`, `${text.use('entryReader')}(${i})`);
  return oneCase(
    field.number,
    2,
    `${readLength(text)}
            const last = stop;
            if (${reader}(b, at, last, depth)) {
              if (v${i} === undefined) ${propertyOf(field)} = v${i} = new Map();
              v${i}.set(${text.use('entry')}.key, entry.value);
            } else kept = keep(kept, from, last);
            at = last;`,
  );
}

/** Statements that read a value at `at` into `x` and move `at` behind it. */
function readSource(
  type: FieldType,
  i: number,
  end: string,
  text: CodecText,
  earlier = 'undefined',
): string {
  if (type.kind === 'message')
    return readMessage(text.make(`child${i}`, `${text.use('child')}(${i})`), earlier, text);
  const scalar = scalarName(type);
  if (scalar === 'string') {
    const cache = text.make(`cache${i}`, `${text.use('textCache')}()`);
    return `${readLength(text)}\n            const x = ${text.use('readCachedText')}(b, at, stop, ${cache});\n            at = stop;`;
  }
  const kind = wireKind(type);
  const read = text.make(`read_${scalar}`, `${text.use('kinds')}.${scalar}.read`);
  if (kind.wire === 2)
    return `${readLength(text)}\n            const last = stop;\n            const x = ${read}(b, at, last, depth);\n            at = last;`;
  if (kind.wire !== 0)
    return `const x = ${read}(b, at, ${end}, depth);\n            at += ${kind.wire === 1 ? 8 : 4};`;
  const quick = quickVarint[scalar];
  const whole = `{ x = ${read}(b, at, ${end}, depth); at = ${text.use('cursor')}.at; }`;
  if (quick === undefined) return `let x; ${whole}`;
  if (quick.startsWith('small')) text.use('smallBigints');
  const n = text.number('n');
  const two = wordKinds.includes(scalar)
    ? `else if (at + 1 < ${end} && ${text.byte('at + 1')} < 128) { ${n} = ${n} & 127 | ${text.byte('at + 1')} << 7; at += 2; x = ${quick}; }
            `
    : '';
  return `let x;
            if (at < ${end} && (${n} = ${text.byte('at')}) < 128) { at++; x = ${quick}; }
            ${two}else ${whole}`;
}

/** A varint of one byte `n` as a value. */
const quickVarint: { readonly [K in FieldKind]?: string } = {
  int32: 'n',
  uint32: 'n',
  sint32: '(n >>> 1) ^ -(n & 1)',
  bool: 'n !== 0',
  int64: 'smallBigints[n]',
  uint64: 'smallBigints[n]',
};

/** Those of two bytes are read in place as well. */
const wordKinds: readonly FieldKind[] = ['int32', 'uint32', 'sint32'];

function readMessage(child: string, earlier: string, text: CodecText): string {
  return `${readLength(text)}
            const last = stop;
            const x = ${child}.decode(${earlier}, b, at, last, depth + 1);
            at = last;`;
}
