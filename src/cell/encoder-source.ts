/** Compiles the encoder of a message into JavaScript source: one straight run over its fields. See decoder-source.ts. */
import {
  checkForm, checkList, checkOneof, checkStranger, checkUnknown, type MessageEncoder, type Nested, notMap,
  writePlace,
} from './compiled-message.js';
import { Constants } from './decoder-source.js';
import { within } from './fault-path.js';
import { keyKind } from './map-entry.js';
import type { FieldShape, FieldType, MessageShape } from './message-shape.js';
import { unknownFields } from './unknown-fields.js';
import { isMap } from './value-kind.js';
import { scalarName, tagOf, wireKind, wireType } from './wire-kind.js';
import { checkDepth, deepest } from './wire-reader.js';

/** The encoder of a shape, by generated source. */
export function sourceEncoder(shape: MessageShape, nested: Nested): MessageEncoder {
  const { prototype } = shape.messageClass;
  const constants = new Constants({ shape, prototype, checkForm, checkList, checkOneof, checkStranger, checkUnknown, notMap, writePlace, within, unknownFields, isMap, checkDepth });
  const oneofs = [...new Set(shape.fields.flatMap((field) => field.oneof ?? []))];
  const names = shape.fields.map((field) => `case ${JSON.stringify(field.name)}: `).join('');
  return constants.compile(`function encode(w, value, depth) {
  if (depth > ${deepest}) checkDepth(depth);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== prototype) checkForm(shape, value);
  for (const name in value) {
    switch (name) { ${names === '' ? '' : `${names}break; `}default: checkStranger(shape, value, name); }
  }
  ${oneofs.map((oneof) => oneofSource(shape, oneof)).join('')}
  let field = -1, i = -1, key;
  try {${shape.fields.map((field, i) => fieldSource(field, i, nested, constants)).join('')}
  } catch (fault) {
    throw within(fault, writePlace(shape.fields[field], i, key));
  }
  const unknown = value[unknownFields];
  if (unknown !== undefined) { checkUnknown(unknown); w.raw(unknown); }
}`);
}

function oneofSource(shape: MessageShape, oneof: string): string {
  const set = shape.fields.filter((field) => field.oneof === oneof).map((field) => `(value[${JSON.stringify(field.name)}] == null ? 0 : 1)`);
  return `if (${set.join(' + ')} > 1) checkOneof(shape, value, ${JSON.stringify(oneof)});\n  `;
}

function fieldSource(field: FieldShape, i: number, nested: Nested, constants: Constants): string {
  const write = field.label === 'map' ? writeMap(field, nested, constants)
    : field.label === 'repeated' ? writeList(field, nested, constants)
    : `w.tag(${tagOf(field.number, wireType(field.type))}); ${writeSource(field.type, 'x', 'depth', nested, constants)}`;
  return `
    field = ${i};
    {
      const x = value[${JSON.stringify(field.name)}];
      if (x !== undefined && x !== null) { ${write} }
    }`;
}

function writeList(field: FieldShape, nested: Nested, constants: Constants): string {
  const wire = wireType(field.type);
  const element = writeSource(field.type, 'x[i]', 'depth', nested, constants);
  const each = (first: string): string => `for (i = 0; i < x.length; i++) { ${first} ${element} }
        i = -1;`;
  if (wire === 2) return `checkList(x);
        ${each(`w.tag(${tagOf(field.number, 2)});`)}`;
  return `checkList(x);
        if (x.length > 0) {
        w.tag(${tagOf(field.number, 2)});
        const packed = w.open();
        ${each('w.room(16);')}
        w.close(packed);
        }`;
}

function writeMap(field: FieldShape, nested: Nested, constants: Constants): string {
  const kind = keyKind(field);
  const write = constants.add('writeKey', kind.write);
  return `if (!isMap(x)) throw notMap(x);
        for (const pair of x) {
          key = pair[0];
          w.tag(${tagOf(field.number, 2)});
          const opened = w.open();
          w.tag(${tagOf(1, kind.wire)}); ${write}(w, key);
          w.tag(${tagOf(2, wireType(field.type))}); ${writeSource(field.type, 'pair[1]', 'depth + 1', nested, constants)}
          w.close(opened);
        }
        key = undefined;`;
}

/** Statements that write the expression `x`, with its length where it has one. */
function writeSource(type: FieldType, x: string, depth: string, nested: Nested, constants: Constants): string {
  if (type.kind !== 'message') return `${constants.add(`write_${scalarName(type)}_`, wireKind(type).write)}(w, ${x});`;
  const child = constants.add('child', nested(type.shape()));
  return `const start = w.open(); ${child}.encode(w, ${x}, ${depth} + 1); w.close(start);`;
}
