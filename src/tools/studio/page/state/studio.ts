/** What the page knows of the database, for all its views. */
import { computed, signal } from '@preact/signals';
import type { StudioFailure } from '../../protocol/failure.js';
import type { EntityInfo, SchemaInfo, StudioTable } from '../../protocol/schema.js';
import type { Session } from '../../protocol/session.js';
import { call, failureOf, lines } from '../net/client.js';

/** Version of the protocol that this page speaks. */
const spokenProtocol = 1;

export const session = signal<Session | undefined>(undefined);
export const schema = signal<SchemaInfo | undefined>(undefined);
export const tables = signal<readonly StudioTable[]>([]);
/** Whether tables are still being measured. */
export const measuring = signal(false);
/** Why the page cannot start. */
export const startFailure = signal<StudioFailure | undefined>(undefined);
export const tablesFailure = signal<StudioFailure | undefined>(undefined);

/** Whether changes are allowed. */
export const writable = computed(() => session.value?.write.allowed === true);

/** The entity with this name. */
export const entityNamed = (name: string | undefined): EntityInfo | undefined =>
  schema.value?.entities.find((each) => each.name === name);

/** Loads the session and the schema, then measures the tables. */
export async function start(): Promise<void> {
  startFailure.value = undefined;
  try {
    const [opened, declared] = await Promise.all([call('session', {}), call('schema', {})]);
    if (opened.protocol !== spokenProtocol) startFailure.value = otherVersion(opened);
    session.value = opened;
    schema.value = declared;
  } catch (error) {
    startFailure.value = failureOf(error);
    return;
  }
  await measureTables();
}

/** Reads the tables again: their families and numbers of rows. */
export async function measureTables(): Promise<void> {
  measuring.value = true;
  tablesFailure.value = undefined;
  const found: StudioTable[] = [];
  try {
    for await (const line of lines('tables', {})) {
      if (line.type !== 'table') continue;
      found.push(line.table);
      const rest = tables.value.filter(({ name }) => found.every((each) => each.name !== name));
      tables.value = [...found, ...rest];
    }
    tables.value = found;
  } catch (error) {
    tablesFailure.value = failureOf(error);
  } finally {
    measuring.value = false;
  }
}

const otherVersion = (opened: Session): StudioFailure => ({
  code: 'OTHER_VERSION',
  message: `The studio was replaced by version ${opened.version} of Rowsmith.`,
  fix: 'Reload this page.',
});
