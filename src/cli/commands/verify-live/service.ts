/** The service that is verified: its url, tables of earlier runs, and what its errors mean. */
import { isRowsmithError, RowsmithError, type FaultTexts } from '../../../base/index.js';
import { parseTarget } from '../../../engines/bigtable/index.js';
import { UsageError } from '../../command.js';

/** A Bigtable instance, in Cloud Bigtable or elsewhere. */
export interface Service {
  readonly url: string;
  /** Undefined for the project of the credentials. */
  readonly project: string | undefined;
  readonly instance: string;
  readonly appProfile: string | undefined;
  /** The address of an emulator or another server; undefined for Cloud Bigtable. */
  readonly emulator: string | undefined;
}

/** The names of all tables of all runs begin with it. */
const tablePrefix = 'rowsmith-verify-';

/** What the credentials must permit. */
const permissions =
  'create, delete, get, list, update, readRows, mutateRows and sampleRowKeys of bigtable.tables';

/** The service of a url. Throws UsageError for anything but an instance of Bigtable. */
export function serviceOf(url: string | undefined, env: NodeJS.ProcessEnv): Service {
  if (url === undefined) throw new UsageError(faults.noUrl);
  if (!url.startsWith('bigtable:')) throw new UsageError(faults.notAnInstance(url));
  try {
    const emulator = env['BIGTABLE_EMULATOR_HOST'] ?? '';
    return { url, ...parseTarget(url), emulator: emulator === '' ? undefined : emulator };
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    const { problem = error.message, fix } = error.details;
    throw new UsageError({ problem, fix });
  }
}

/** A name for a run, in which all its tables begin: `rowsmith-verify-20261127-k3f9ab`. */
export function runName(now: Date): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const suffix = Math.random().toString(36).slice(2, 8).padEnd(6, '0');
  return `${tablePrefix}${day}-${suffix}`;
}

/** The tables that earlier runs have left. */
export function leftTables(tables: readonly string[]): readonly string[] {
  return tables.filter((name) => name.startsWith(tablePrefix));
}

/** The command that drops a table. */
export function dropCommand({ project, instance }: Service, table: string): string {
  const inProject = project === undefined ? '' : `-project ${project} `;
  return `cbt ${inProject}-instance ${instance} deletetable ${table}`;
}

/** The error, with the permissions if some are missing. */
export function explained(error: unknown): unknown {
  if (!isRowsmithError(error) || error.code !== 'PERMISSION_DENIED') return error;
  // Credentials that are missing have their own advice.
  if (error.details.status !== 'PERMISSION_DENIED') return error;
  const problem = error.details.problem ?? error.message;
  const details = { ...error.details, ...faults.missingPermission(problem) };
  return new RowsmithError(error.code, details, { cause: error });
}

const faults = {
  noUrl: { problem: 'no instance is named', fix: 'give bigtable://project/instance' },
  notAnInstance: (url: string) => ({
    problem: `${url} is not an instance of Bigtable`,
    fix: 'give bigtable://project/instance',
  }),
  missingPermission: (problem: string) => ({
    problem,
    fix: `grant roles/bigtable.admin on the instance, or a role with ${permissions}`,
  }),
} satisfies FaultTexts;
