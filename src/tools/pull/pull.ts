/** Entities of an existing table, guessed from a sample of its rows. */
import { printable, RowsmithError, type FaultTexts } from '../../base/index.js';
import type { Engine } from '../../data/store/index.js';
import { entityModule, type EntityModule } from './entity-module.js';
import { guessEntity } from './entity-guess.js';
import { guessKeys } from './key-guess.js';
import { sampleTable } from './sample-table.js';

/** A module of entities, and the sample that it was guessed from. */
export interface GeneratedModule {
  readonly module: EntityModule;
  /** Rows of the sample. */
  readonly rows: number;
  /** Keys that match no supported key format, printable. */
  readonly unread: readonly string[];
}

/** Guesses the entities of a table from a sample of `count` rows. Throws FAILED_PRECONDITION. */
export async function pullEntities(
  engine: Engine,
  table: string,
  count: number,
): Promise<GeneratedModule> {
  const sample = await sampleTable(engine, table, count);
  const { guesses, unread } = guessKeys(sample.rows);
  if (guesses.length === 0) throw noGuess(table, sample.rows.at(0)?.key);
  const entities = guesses.map((guess) => guessEntity(guess, sample.table));
  return {
    module: entityModule(sample, entities, unread),
    rows: sample.rows.length,
    unread: unread.map(({ key }) => printable(key)),
  };
}

function noGuess(table: string, key: Uint8Array | undefined): RowsmithError {
  const fault = key === undefined ? faults.emptyTable : faults.unknownKeyFormat(key);
  return new RowsmithError('FAILED_PRECONDITION', { table, ...fault });
}

const byHand =
  'declare the entity by hand: docs/guide/keys.md; db.engine reads rows without an entity';

const faults = {
  emptyTable: {
    problem: 'the table has no rows from which entities could be guessed',
    fix: byHand,
  },
  unknownKeyFormat: (key: Uint8Array) => ({
    problem: `keys such as ${printable(key)} match no supported key format`,
    fix: byHand,
  }),
} satisfies FaultTexts;
