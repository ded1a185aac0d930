/** The sentences of migrations that cannot run. */
import { printable, type FaultTexts } from '../../../base/index.js';
import { counterAdvice } from './counter-guard.js';

export const migrationFaults = {
  otherExpiry: (from: string, to: string) => ({
    problem: `migrate() keeps the timestamps of cells, and rows of ${from} and ${to} expire by them in different ways`,
    fix: 'read the old rows with scanAll(), and save() the new ones',
    shell: {
      problem: `rows of ${from} and ${to} expire by the timestamps of their cells, in different ways`,
      fix: 'write the old rows with rowsmith export --plain, and import the file as the new entity',
    },
  }),
  wrongRate: (rowsPerSecond: number) => ({
    problem: `it is ${rowsPerSecond}`,
    fix: 'give a number above 0, or leave it out',
  }),
  deleteWithoutVerify: {
    problem: 'verify is false, but old rows are deleted only after the comparison',
    fix: 'leave verify on',
  },
  undeclaredCells: (problem: string) => ({
    problem,
    fix: 'declare them, or delete the old rows yourself once they are not needed; nothing was deleted',
  }),
  differentCounter: (key: Uint8Array) => ({
    problem:
      `a counter of the row ${printable(key)} differs from the old row: ` +
      'one of the two was added to',
    fix: counterAdvice,
  }),
  changedRow: (sourceKey: Uint8Array, key: string, problem: string, fix: string) => ({
    problem: `the row ${printable(sourceKey)} was not found unchanged at ${key}: ${problem}`,
    fix,
  }),
  changedCounter: (key: Uint8Array) => ({
    problem: `a counter of the old row ${printable(key)} was added to before it could be deleted`,
    fix: counterAdvice,
  }),
} satisfies FaultTexts;
