/** Finds out whether a live database can make the conditional writes that indexes need. */
import { RowsmithError, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine } from '../../../data/store/index.js';

/** Milliseconds for an answer; later, the first write reports the error. */
const timeoutMillis = 5_000;

const rejection = /single-row transaction|transactional write|app profile|single-cluster|routing/i;

/**
 * Rejects with FAILED_PRECONDITION if the app profile does not allow conditional writes. Makes one
 * that writes nothing. Anything else, such as a table that does not exist yet or a server that does
 * not answer, is left to the first call.
 */
export async function probeConditionalWrites(
  engine: Engine,
  models: readonly EntityModel[],
  appProfile: string | undefined,
): Promise<void> {
  const model = models.find(({ indexes }) => indexes.length > 0);
  if (model === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMillis);
  });
  const probe = engine.checkAndMutateRow(model.table.name, {
    key: Buffer.from('rowsmith-probe'),
    predicate: { kind: 'blockAll' },
    onTrue: [{ kind: 'deleteFromRow' }],
  });
  try {
    await Promise.race([probe, timeout]);
  } catch (error) {
    if (isRejection(error)) throw notAllowed(model, appProfile, error);
  } finally {
    clearTimeout(timer);
    probe.catch(() => undefined);
  }
}

function isRejection(error: unknown): boolean {
  return (
    error instanceof RowsmithError &&
    error.code === 'FAILED_PRECONDITION' &&
    rejection.test(error.details.problem ?? '')
  );
}

function notAllowed(
  { name }: EntityModel,
  appProfile: string | undefined,
  cause: unknown,
): RowsmithError {
  const profile =
    appProfile === undefined ? 'the default app profile' : `app profile '${appProfile}'`;
  return new RowsmithError(
    'FAILED_PRECONDITION',
    {
      entity: name,
      property: 'indexes',
      ...faults.noConditionalWrites(profile, name),
      appProfile: appProfile ?? 'default',
    },
    { cause },
  );
}

const faults = {
  noConditionalWrites: (profile: string, name: string) => ({
    problem: `${profile} does not allow conditional writes, which keep the indexes of ${name}`,
    fix:
      'use an app profile with single-cluster routing and single-row transactions: ' +
      "open('bigtable://project/instance?appProfile=name')",
    shell: {
      fix: 'use an app profile with single-cluster routing and single-row transactions: --url bigtable://project/instance?appProfile=name',
    },
  }),
} satisfies FaultTexts;
