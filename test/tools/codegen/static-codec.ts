/**
 * Generated codecs as a program uses them: printed, compiled from TypeScript, loaded, registered.
 */
import { transformSync } from '@swc/core';
import {
  type CellCodec,
  messageCodec,
  type FieldType,
  type MessageShape,
} from '../../../src/data/cell/index.js';
import * as wire from '../../../src/wire.js';
import { codecModule } from '../../../src/tools/codegen/proto/static-codecs.js';
import { reachable } from './proto-shapes.js';

/** Compiles a generated module and runs it with the entry point `rowsmith/wire`. */
export function loadCodecs(source: string): void {
  const { code } = transformSync(source, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
    filename: 'codecs.ts',
  });
  const required: string[] = [];
  // oxlint-disable-next-line typescript/no-implied-eval -- the module that was just generated
  const run = new Function('exports', 'require', code) as (
    exports: object,
    require: (name: string) => unknown,
  ) => void;
  run({}, (name) => {
    required.push(name);
    return wire;
  });
  expect(required).toEqual(['rowsmith/wire']);
}

let shapeCount = 0;

/** The same shapes under unused names, because codecs are registered by name. */
export function renamed(root: MessageShape): MessageShape {
  const copies = new Map<MessageShape, MessageShape>();
  for (const shape of reachable(root)) {
    const typeOf = (type: FieldType): FieldType =>
      type.kind === 'message' ? { kind: 'message', shape: () => copies.get(type.shape())! } : type;
    copies.set(shape, {
      ...shape,
      name: `generated.M${shapeCount++}`,
      fields: shape.fields.map((field) => ({ ...field, type: typeOf(field.type) })),
    });
  }
  return copies.get(root)!;
}

/** The codec of a shape from its generated module. The shape must come from `renamed`. */
export function staticCodec<T extends object = object>(shape: MessageShape): CellCodec<T> {
  loadCodecs(codecModule(reachable(shape)));
  return messageCodec<T>(shape);
}
