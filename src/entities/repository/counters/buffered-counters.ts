/** `bufferedCounters`: counters that are added up in memory and written now and then. */
import { checkOptions, invalidArgument, valueText, type FaultTexts } from '../../../base/index.js';
import type { EntityModel, KeyParts } from '../../model/index.js';
import { checkCount } from '../../query/index.js';
import { EntityRepository } from '../entity-repository.js';
import type { KeyOf } from '../types/entity-types.js';
import type { KeyedRepository } from '../types/repository-types.js';
import { checkInFlight } from '../write/calls-in-flight.js';
import { CounterBuffer } from './counter-buffer.js';
import type { BufferedCounters, BufferedCountersOptions } from './counter-types.js';

const optionNames: readonly (keyof BufferedCountersOptions)[] = [
  'flushEvery',
  'maxKeys',
  'inFlight',
  'onFlush',
];
/** The longest time of a Node timer. */
const maxMillis = 2 ** 31 - 1;
const maxSums = 10_000_000;

/**
 * A crash of the process loses what was added since the last flush began, and so does a process
 * that ends without `close()`: the timer does not keep it running.
 *
 * Adds to counters of a repository, also one of a scope, in memory: a sum for each row and counter.
 * The sums are written every `flushEvery` milliseconds, when half of `maxKeys` are pending, and on
 * closing. Rows of aggregate families are written many to a request, other rows with one request
 * for all counters of the row. Sums of requests that failed stay and are sent again; sums of
 * requests with an unknown outcome are listed in `unknown` and not sent again by themselves. Rules
 * of class-validator are not checked, as for `increment`.
 *
 * Throws INVALID_ARGUMENT for invalid options, and for an entity that has neither a counter nor a
 * column map of int64.
 */
export function bufferedCounters<E extends object, K extends KeyParts, C = unknown>(
  repository: KeyedRepository<E, K, C>,
  options?: BufferedCountersOptions<KeyOf<E, K>>,
): BufferedCounters<E, K> {
  const parts = EntityRepository.partsOf(repository);
  if (parts === undefined)
    throw invalidArgument('repository', faults.notARepository(valueText(repository)));
  const { context, model, cellClock, timers } = parts;
  checkOptions('bufferedCounters()', options, optionNames, { entity: model.name });
  checkCounters(model);
  if (model.mustExist === true)
    throw invalidArgument('repository', faults.countersWithMustExist, { entity: model.name });
  const given = (options ?? {}) as BufferedCountersOptions;
  const { flushEvery = 1000, maxKeys = 10_000, inFlight, onFlush } = given;
  if (onFlush !== undefined && typeof onFlush !== 'function')
    throw invalidArgument('onFlush', faults.notAFunction(valueText(onFlush)), {
      entity: model.name,
    });
  const buffer = new CounterBuffer({
    engine: context.engine,
    model,
    clock: cellClock,
    flushEvery: checkCount(model, 'flushEvery', flushEvery, maxMillis),
    maxKeys: checkCount(model, 'maxKeys', maxKeys, maxSums),
    inFlight: checkInFlight(model, inFlight),
    onFlush,
    timers,
  });
  return buffer as unknown as BufferedCounters<E, K>;
}

function checkCounters({ name, columns }: EntityModel): void {
  const isCounted = columns.some(
    ({ kind, codec }) => kind === 'counter' || (kind === 'columnMap' && codec.kind === 'int64'),
  );
  if (isCounted) return;
  throw invalidArgument('repository', faults.missingCounter, { entity: name });
}

const faults = {
  notARepository: (given: string) => ({
    problem: `bufferedCounters() takes a repository, not ${given}`,
    fix: 'write bufferedCounters(db.repository(Entity))',
  }),
  countersWithMustExist: {
    problem:
      'buffered counters are added without a look at the row, and the entity declares mustExist',
    fix: 'pass mustExist to single patches, and leave it out of the entity',
  },
  notAFunction: (given: string) => ({
    problem: `onFlush is ${given}`,
    fix: 'give a function, or leave it out',
  }),
  missingCounter: {
    problem: 'the entity has no counter and no column map of int64',
    fix: "declare a @Counter(family), or a @ColumnMap(family, 'int64')",
  },
} satisfies FaultTexts;
