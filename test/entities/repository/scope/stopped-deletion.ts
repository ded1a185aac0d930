/** Deletions of a tenant during which a write of the storage fails. */
import { faultyDatabase } from '../../../../src/tools/testing/index.js';
import { entities, followed } from './leaving-entities.js';
import { fill, traces } from './leaving-rows.js';

/** Fails the first write, and after that every `step`th: the next call deletes what is left. */
export async function expectFinished(step: number, applied: boolean): Promise<void> {
  for (let nth = 1, isInjected = true; isInjected; nth += step) {
    const db = await faultyDatabase('memory:', { entities });
    await fill(db);
    const fault = db.faults.failWrite({ nth, code: 'UNAVAILABLE', applied });
    const scope = db.scope({ tenant: 'acme' });
    await scope.deleteAll().catch((error: { readonly code: string }) => {
      expect(error.code).toMatch(/^(UNAVAILABLE|CONTENTION)$/);
    });
    isInjected = fault.injected > 0;
    db.faults.clear();
    await scope.deleteAll();
    // A row that was deleted as the storage failed may have left entries outside of the scope.
    for (const entity of followed) await db.derived.repair(entity);
    expect([nth, (await traces(db, 'acme')).length]).toEqual([nth, 5]);
    await db.close();
  }
}
