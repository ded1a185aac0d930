/** Random messages for .proto files: the shapes of the codec's property tests, with full names. */
import type { FieldShape, FieldType, MessageShape } from '../../../src/data/cell/index.js';
import { shapes } from '../../data/cell/message-arbitrary.js';
import fc from '../../support/fast-check.js';

/** A shape and all shapes that its fields refer to, itself first. */
export function reachable(root: MessageShape): readonly MessageShape[] {
  const found = new Set<MessageShape>();
  const visit = (shape: MessageShape): void => {
    if (found.has(shape)) return;
    found.add(shape);
    for (const { type } of shape.fields) if (type.kind === 'message') visit(type.shape());
  };
  visit(root);
  return [...found];
}

/**
 * Every message and enum has its own full name: nested in the message before it, in a package, or
 * without a package.
 */
export const protoShapes: fc.Arbitrary<readonly MessageShape[]> = fc
  .record({
    root: shapes(2),
    packages: fc.constantFrom('telemetry', 'acme.telemetry', ''),
    nest: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  })
  .map(({ root, packages, nest }) => rename(reachable(root), packages, nest));

function rename(
  old: readonly MessageShape[],
  packageName: string,
  nest: readonly boolean[],
): readonly MessageShape[] {
  const dot = packageName === '' ? '' : `${packageName}.`;
  const names = new Map<MessageShape, string>();
  old.forEach((shape, i) => {
    const isNested = i > 0 && nest[i % nest.length];
    names.set(shape, isNested ? `${names.get(old[i - 1])!}.M${i}` : `${dot}M${i}`);
  });
  const renamed = new Map<MessageShape, MessageShape>();
  for (const shape of old) {
    const typeOf = (field: FieldShape): FieldType => {
      const { type } = field;
      if (type.kind === 'message')
        return { kind: 'message', shape: () => renamed.get(type.shape())! };
      return type.kind === 'enum'
        ? { ...type, name: `${names.get(shape)!}.${field.name.toUpperCase()}` }
        : type;
    };
    renamed.set(shape, {
      ...shape,
      name: names.get(shape)!,
      fields: shape.fields.map((field) => ({ ...field, type: typeOf(field) })),
    });
  }
  return [...renamed.values()];
}
