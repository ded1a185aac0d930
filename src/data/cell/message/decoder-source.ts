/**
 * Generates the source of a message's decoder: a switch over tags which reads values in place, and
 * one-byte lengths and varints without a function call. See codec-text.ts for how it is used;
 * closure-decoder.ts does the same without generating code.
 */
import type { FieldKind } from '../scalar/scalar-type.js';
import type { FieldShape, FieldType, MessageShape } from '../wire/message-shape.js';
import { scalarName, tagOf, wireKind, wireType } from '../wire/wire-kind.js';
import { maxDepth } from '../wire/wire-reader.js';
import { CodecText, type Dialect } from './codec-text.js';

/**
 * The source of a function expression that creates the decoder of a message from its scope. All
 * names from declarations are quoted.
 */
export function decoderSource(shape: MessageShape, dialect: Dialect): string {
  const text = new CodecText(dialect);
  const cases = shape.fields.map((field, i) => fieldCases(shape, field, i, text)).join('');
  const newInstance = `${text.use('maker')}(() => new ${text.use('messageClass')}())`;
  const create = text.constant('create', newInstance);
  const checkDepth = text.use('checkDepth');
  const variables = [
    text.numberDeclaration,
    ...shape.fields.map((field, i) => declareField(field, i, text)),
  ];
  const declarations = variables.filter((line) => line !== '').map((line) => `${line}\n    `);
  return text.wrap(`(earlier, b, at, end, depth) => {
    if (depth > ${maxDepth}) ${checkDepth}(depth);
    const m = earlier === undefined ? ${create}() : earlier;
    ${declarations.join('')}let tag = 0, from = 0, kept;
    try {
      while (at < end) {
        from = at;
        tag = ${text.byte('at++')};
        if (tag > 127) { ${longTagSource(text)} }
        switch (tag) {${cases}
        }
        at = ${text.use('skip')}(b, at, end, tag, depth);
        kept = ${text.use('keep')}(kept, from, at);
      }
    } catch (fault) {
      throw ${text.use('within')}(fault, ${text.use('readPlace')}(${text.use('shape')}, tag, m));
    }
    if (kept !== undefined) ${unknownFieldsSource(text)}
    return m;
  }`);
}

function longTagSource(text: CodecText): string {
  return `tag = 0; tag = ${text.use('readTag')}(b, from, end); at = ${text.use('cursor')}.at;`;
}

function unknownFieldsSource(text: CodecText): string {
  const symbol = text.use('unknownFields');
  const earlier = `earlier === undefined ? undefined : earlier[${symbol}]`;
  return `m[${symbol}] = ${text.use('gather')}(b, kept, ${earlier});`;
}

/**
 * Declares the variable of a field, if it has one: `v` is the collection of a repeated or map
 * field, `h` is whether a tracked field is set.
 */
function declareField(field: FieldShape, i: number, text: CodecText): string {
  const property = propertyOf(field);
  if (field.label !== 'singular') {
    const held = text.use(field.label === 'map' ? 'heldMap' : 'heldList');
    return `let v${i} = earlier === undefined ? undefined : ${held}(${property});`;
  }
  if (!isTracked(field)) return '';
  return `let h${i} = earlier !== undefined && ${text.use('isSet')}(${property});`;
}

/** Whether decoding a singular field depends on whether it is already set. */
function isTracked(field: FieldShape): boolean {
  return field.oneof !== undefined || field.type.kind === 'message';
}

/** The field's property of the message `m`. */
function propertyOf(field: FieldShape): string {
  return `m[${quoted(field.name)}]`;
}

/** A JavaScript string literal. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** Statements that read the length at `at`, move `at` after it, and set `stop` to the end. */
function readLength(text: CodecText): string {
  const n = text.number('n');
  const stop = text.number('stop');
  const isShort = `at < end && (${n} = ${text.byte('at')}) < 128 && at + 1 + n <= end`;
  const long = `stop = ${text.use('readEnd')}(b, at, end); at = ${text.use('cursor')}.at;`;
  return `if (${isShort}) { at++; ${stop} = at + n; } else { ${long} }`;
}

function fieldCases(shape: MessageShape, field: FieldShape, i: number, text: CodecText): string {
  if (field.label === 'map') return mapCase(field, i, text);
  if (field.label === 'singular') return singularCase(shape, field, i, text);
  const wire = wireType(field.type);
  const property = propertyOf(field);
  const createList = `if (v${i} === undefined) ${property} = v${i} = [];`;
  const single = caseSource(
    field.number,
    wire,
    `${createList}
            ${readSource(field.type, i, 'end', text)}
            v${i}.push(x);`,
  );
  if (wire === 2) return single;
  // An empty packed run creates no list, because an empty list would not be written again.
  const packed = caseSource(
    field.number,
    2,
    `${readLength(text)}
            const last = stop;
            if (at < last) {
              ${createList}
              while (at < last) {
                ${readSource(field.type, i, 'last', text).replaceAll('\n', '\n    ')}
                v${i}.push(x);
              }
            }`,
  );
  return single + packed;
}

function singularCase(shape: MessageShape, field: FieldShape, i: number, text: CodecText): string {
  const property = propertyOf(field);
  const earlier = isTracked(field) ? `h${i} ? ${property} : undefined` : undefined;
  return caseSource(
    field.number,
    wireType(field.type),
    `${readSource(field.type, i, 'end', text, earlier)}
            ${property} = x;${trackField(shape, field, i)}`,
  );
}

function caseSource(number: number, wire: number, body: string): string {
  return `
          case ${tagOf(number, wire)}: {
            ${body}
            continue;
          }`;
}

/** Marks a tracked field as set, and clears the other fields of its oneof. */
function trackField(shape: MessageShape, field: FieldShape, i: number): string {
  if (!isTracked(field)) return '';
  const clearOthers = shape.fields.map((other, j) => {
    if (j === i || field.oneof === undefined || other.oneof !== field.oneof) return '';
    return `
            if (h${j}) { ${propertyOf(other)} = undefined; h${j} = false; }`;
  });
  return `
            h${i} = true;${clearOthers.join('')}`;
}

function mapCase(field: FieldShape, i: number, text: CodecText): string {
  const reader = text.constant(`readEntry${i}`, `${text.use('entryReader')}(${i})`);
  return caseSource(
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

/** Statements that read a value at `at` into `x` and move `at` after it. */
function readSource(
  type: FieldType,
  i: number,
  end: string,
  text: CodecText,
  earlier = 'undefined',
): string {
  if (type.kind === 'message') {
    const child = text.constant(`child${i}`, `${text.use('child')}(${i})`);
    return readDelimited(`${child}.decode(${earlier}, b, at, last, depth + 1)`, text);
  }
  const scalar = scalarName(type);
  if (scalar === 'string') {
    const cache = text.constant(`cache${i}`, `${text.use('textCache')}()`);
    return `${readLength(text)}
            const x = ${text.use('readCachedText')}(b, at, stop, ${cache});
            at = stop;`;
  }
  const { wire } = wireKind(type);
  const read = text.constant(`read_${scalar}`, `${text.use('kinds')}.${scalar}.read`);
  if (wire === 2) return readDelimited(`${read}(b, at, last, depth)`, text);
  if (wire === 0) return readVarint(scalar, read, end, text);
  const size = wire === 1 ? 8 : 4;
  return `const x = ${read}(b, at, ${end}, depth);
            at += ${size};`;
}

/** Reads a length-delimited value with an expression over `at` and `last`. */
function readDelimited(expression: string, text: CodecText): string {
  return `${readLength(text)}
            const last = stop;
            const x = ${expression};
            at = last;`;
}

/** The value of a one-byte varint `n`, by kind. */
const oneByteValues: { readonly [K in FieldKind]?: string } = {
  int32: 'n',
  uint32: 'n',
  sint32: '(n >>> 1) ^ -(n & 1)',
  bool: 'n !== 0',
  int64: 'smallBigints[n]',
  uint64: 'smallBigints[n]',
};

/** Kinds for which two-byte varints are also read in place. */
const twoByteKinds: readonly FieldKind[] = ['int32', 'uint32', 'sint32'];

function readVarint(scalar: FieldKind, read: string, end: string, text: CodecText): string {
  const inPlace = oneByteValues[scalar];
  const byCall = `{ x = ${read}(b, at, ${end}, depth); at = ${text.use('cursor')}.at; }`;
  if (inPlace === undefined) return `let x; ${byCall}`;
  if (inPlace.startsWith('small')) text.use('smallBigints');
  const n = text.number('n');
  let twoBytes = '';
  if (twoByteKinds.includes(scalar)) {
    const second = text.byte('at + 1');
    const value = `${n} = ${n} & 127 | ${second} << 7`;
    twoBytes = `else if (at + 1 < ${end} && ${second} < 128) { ${value}; at += 2; x = ${inPlace}; }
            `;
  }
  return `let x;
            if (at < ${end} && (${n} = ${text.byte('at')}) < 128) { at++; x = ${inPlace}; }
            ${twoBytes}else ${byCall}`;
}
