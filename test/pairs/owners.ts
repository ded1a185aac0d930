/** Calls that change the rows that items copy from. */
import type { Call, Caller } from './calls.js';
import { tenants } from './calls.js';
import type { Owner } from './declare.js';
import type { RowChange } from './row-state.js';

const owners = ['o1', 'o2'];
export const ownerRow = (tenant: string, owner: string): string => `owner ${tenant}/${owner}`;
export const ownerKeys = tenants.flatMap((tenant) => owners.map((owner) => ({ tenant, owner })));

export function ownerCall(caller: Caller): Call {
  const { program, declared } = caller.context;
  const repository = program.db.repository(declared.Owner);
  const key = caller.pick(ownerKeys);
  const name = caller.pick(['Ann', 'Bo', undefined]);
  const { cells: time } = caller.time;
  // The write of a value that is copied is the newest.
  const wins = declared.features.has('copies');
  const set: RowChange = { kind: 'set', set: new Map([['name', name]]), wins, time };
  const whole = {
    ...set,
    set: new Map([
      ['name', name],
      ['city', 'Oslo'],
    ]),
  };
  const row = ownerRow(key.tenant, key.owner);
  const of = (call: string, change: RowChange, run: () => Promise<unknown>): Call => ({
    name: `${call} ${row}`,
    run,
    parts: [{ row, change }],
  });
  const all = ownerKeys.filter(({ tenant }) => tenant === key.tenant);
  const entity = (each: typeof key): Owner => repository.create({ ...each, name, city: 'Oslo' });
  return caller.pick([
    of('save', whole, () => repository.save(entity(key) as never)),
    of('patch', set, () => repository.patch(key as never, { name: name ?? null })),
    of('delete', { kind: 'delete', wins: true, time }, () => repository.delete(key as never)),
    {
      name: `saveMany of owners of ${key.tenant}`,
      run: () => repository.saveMany(all.map(entity) as never),
      parts: all.map(({ tenant, owner }, item) => ({
        row: ownerRow(tenant, owner),
        change: whole,
        item,
      })),
    },
  ]);
}
