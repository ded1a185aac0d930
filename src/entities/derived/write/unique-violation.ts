/** The error of a write of a unique value that another row has. */
import { latin1Bytes, printable, RowsmithError, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import type { EntryName } from '../protocol/step.js';

/** `holder` is the key of the row that has the value, `key` the key of the row to write. */
export function uniqueViolation(
  model: EntityModel,
  { index }: EntryName,
  holder: string,
  key: Uint8Array,
): RowsmithError {
  const { name, segments } = model.indexes[index];
  const holderKey = latin1Bytes(holder);
  const row = model.key.decode(holderKey) ?? {};
  return new RowsmithError('UNIQUE_VIOLATION', {
    entity: model.name,
    property: segments.join(', '),
    ...faults.duplicateValue(name),
    index: name,
    key: printable(key),
    holder: row,
    holderKey: printable(holderKey),
  });
}

const faults = {
  duplicateValue: (name: string) => ({
    problem: `another row has the same value in the unique index '${name}'; nothing was written`,
    fix: 'use another value, or change the row that has it',
  }),
} satisfies FaultTexts;
