/** The text of a message's encoder: one straight run over its fields. See decoder-source.ts. */
import { CodecText, type Dialect } from './codec-text.js';
import { quoted } from './decoder-source.js';
import { keyKind } from './map-entry.js';
import type { FieldShape, FieldType, MessageShape } from './message-shape.js';
import { scalarName, tagOf, wireType } from './wire-kind.js';
import { deepest } from './wire-reader.js';

/** An expression: the function that makes the encoder of a shape from its scope. Every name from a declaration is quoted in it. */
export function encoderSource(shape: MessageShape, dialect: Dialect): string {
  const text = new CodecText(dialect);
  const oneofs = [...new Set(shape.fields.flatMap((field) => field.oneof ?? []))];
  const names = shape.fields.map((field) => `case ${quoted(field.name)}: `).join('');
  const repeats = shape.fields.some((field) => field.label === 'repeated');
  const maps = shape.fields.some((field) => field.label === 'map');
  const variables = ['field = -1', ...(repeats ? ['i = -1'] : []), ...(maps ? ['key'] : [])];
  return text.around(`(w, value, depth) => {
    if (depth > ${deepest}) ${text.use('checkDepth')}(depth);
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== ${text.use('prototype')}) ${text.use('checkForm')}(${text.use('shape')}, value);
    for (const name in value) {
      switch (name) { ${names === '' ? '' : `${names}break; `}default: ${text.use('checkStranger')}(shape, value, name); }
    }
    ${oneofs.map((oneof) => oneofSource(shape, oneof, text)).join('')}let ${variables.join(', ')};
    try {${shape.fields.map((field, i) => fieldSource(field, i, text)).join('')}
    } catch (fault) {
      throw ${text.use('within')}(fault, ${text.use('writePlace')}(shape, field, ${repeats ? 'i' : '-1'}, ${maps ? 'key' : 'undefined'}));
    }
    const unknown = value[${text.use('unknownFields')}];
    if (unknown !== undefined) w.raw(${text.use('unknownBytes')}(unknown));
  }`);
}

function oneofSource(shape: MessageShape, oneof: string, text: CodecText): string {
  const set = shape.fields.filter((field) => field.oneof === oneof).map((field) => `(value[${quoted(field.name)}] == null ? 0 : 1)`);
  return `if (${set.join(' + ')} > 1) ${text.use('checkOneof')}(shape, value, ${quoted(oneof)});\n    `;
}

function fieldSource(field: FieldShape, i: number, text: CodecText): string {
  const write = field.label === 'map' ? writeMap(field, i, text)
    : field.label === 'repeated' ? writeList(field, i, text)
    : `
          w.tag(${tagOf(field.number, wireType(field.type))});
          ${writeSource(field.type, i, 'x', 'depth', text)}`;
  return `
      field = ${i};
      {
        const x = value[${quoted(field.name)}];
        if (x !== undefined && x !== null) {${write}
        }
      }`;
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
function writeSource(type: FieldType, i: number, x: string, depth: string, text: CodecText): string {
  if (type.kind !== 'message') {
    const scalar = scalarName(type);
    return `${text.make(`write_${scalar}`, `${text.use('kinds')}.${scalar}.write`)}(w, ${x});`;
  }
  const child = text.make(`child${i}`, `${text.use('child')}(${i})`);
  return `const start = w.open(); ${child}.encode(w, ${x}, ${depth} + 1); w.close(start);`;
}
