/** The sentences of states of indexes that cannot be read or changed. */
import type { FaultTexts } from '../../../base/index.js';

/** The version of stored states that this program reads and writes. */
export const stateVersion = '1';

export const stateFaults = {
  unbuiltIndex: (name: string, entity: string, index: string) => ({
    problem: `the table had rows before index ${name} was declared, and they have no entries yet`,
    fix: rebuildFix(name, entity, index),
    shell: { fix: `run rowsmith derived rebuild ${entity} --index ${index}` },
  }),
  unfinishedIndex: (name: string, entity: string, index: string) => ({
    problem: `index ${name} is being built, or a program that does not declare it was started`,
    fix: rebuildFix(name, entity, index),
    shell: { fix: `run rowsmith derived rebuild ${entity} --index ${index}` },
  }),
  indexTakenOver: (name: string) => ({
    problem: `another program began to build index '${name}', or dropped it`,
    fix: 'let one program at a time build an index',
  }),
  unsupportedVersion: (id: string, version: string) => ({
    problem: `the state of index '${id}' has version ${version}, and this program reads ${stateVersion}`,
    fix: 'install the version of rowsmith that wrote it, or a newer one',
  }),
} satisfies FaultTexts;

function rebuildFix(name: string, entity: string, index: string): string {
  return (
    `rebuild the index: await db.derived.rebuild(${entity}, ${name}), or ` +
    `rowsmith derived rebuild ${entity} --index ${index}`
  );
}
