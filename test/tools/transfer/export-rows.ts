/** What the suites of interrupted exports share. */
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { buildModel } from '../../../src/entities/model/index.js';
import { random } from '../../engines/history.js';
import { seed } from '../../support/seed.js';
import { Row } from './exporting.js';

export const model = buildModel(Row);
export const next = random(seed);

/** Rows with texts of about `length` characters that compress poorly. */
export function rowsOf(count: number, length: number): InstanceType<typeof Row>[] {
  return Array.from({ length: count }, (_, id) =>
    Object.assign(new Row(), {
      id,
      text: Array.from({ length: length / 8 }, () =>
        next(2 ** 32)
          .toString(36)
          .padEnd(8, '-'),
      ).join(''),
      tags: id % 3 === 0 ? tagsOf(id) : undefined,
    }),
  );
}

export const tagsOf = (id: number): Map<string, string> =>
  new Map([
    ['a', `"${id}",\n`],
    ['ü', 'x'],
  ]);

/** Files beside the output. */
export const beside = (file: string): string[] =>
  readdirSync(dirname(file))
    .filter((name) => name !== basename(file) && name.includes(basename(file)))
    .sort();
