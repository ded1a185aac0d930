/** Resource names of the API: `projects/P/instances/I/tables/T`. */
import type { FaultTexts } from '../../../base/index.js';
import { requestError } from '../request-error.js';

/** The parts of an instance name. */
export interface InstanceName {
  readonly project: string;
  readonly instance: string;
}

const ids = {
  tables: /^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}$/,
  instances: /^[a-z][-a-z0-9]{4,31}[a-z0-9]$/,
  clusters: /^[a-z][-a-z0-9]{4,28}[a-z0-9]$/,
  appProfiles: /^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}$/,
  authorizedViews: /^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}$/,
  backups: /^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}$/,
} as const;

/** Collections of resources inside an instance. */
export type ResourceKind = Exclude<keyof typeof ids, 'instances' | 'authorizedViews' | 'backups'>;

/** The project of `projects/P`. */
export function projectOf(name = ''): string {
  const project = /^projects\/([^/]+)$/.exec(name)?.[1];
  if (project === undefined) throw requestError('parent', faults.notAProject(name));
  return project;
}

/** The parts of `projects/P/instances/I`. */
export function parseInstance(name = ''): InstanceName {
  const parts = /^projects\/([^/]+)\/instances\/([^/]+)$/.exec(name);
  if (parts === null) throw requestError('name', faults.notAnInstance(name));
  return { project: parts[1], instance: parts[2] };
}

/** The instance and the id of `projects/P/instances/I/KIND/ID`. */
export function parseResource(
  name = '',
  kind: ResourceKind,
): { readonly parent: string; readonly id: string } {
  const parts = /^(projects\/[^/]+\/instances\/[^/]+)\/([a-zA-Z]+)\/([^/]+)$/.exec(name);
  if (parts === null || parts[2] !== kind)
    throw requestError('name', faults.notAResource(name, kind));
  return { parent: parts[1], id: parts[3] };
}

/** The table and the id of `projects/P/instances/I/tables/T/authorizedViews/V`. */
export function parseView(name = ''): { readonly table: string; readonly id: string } {
  const parts =
    /^(projects\/[^/]+\/instances\/[^/]+\/tables\/[^/]+)\/authorizedViews\/([^/]+)$/.exec(name);
  if (parts === null) throw requestError('name', faults.notAView(name));
  return { table: parts[1], id: parts[2] };
}

/** The cluster and the id of `projects/P/instances/I/clusters/C/backups/B`. */
export function parseBackup(name = ''): { readonly cluster: string; readonly id: string } {
  const parts = /^(projects\/[^/]+\/instances\/[^/]+\/clusters\/[^/]+)\/backups\/([^/]+)$/.exec(
    name,
  );
  if (parts === null) throw requestError('name', faults.notABackup(name));
  return { cluster: parts[1], id: parts[2] };
}

/** Checks the id of a new resource. */
export function checkId(id = '', kind: keyof typeof ids): string {
  if (!ids[kind].test(id)) throw requestError('id', faults.notAnId(kind, id, ids[kind].source));
  return id;
}

const faults = {
  notAProject: (name: string) => ({
    problem: `Invalid project name: '${name}' is not projects/PROJECT`,
  }),
  notAnInstance: (name: string) => ({
    problem: `Invalid instance name: '${name}' is not projects/PROJECT/instances/INSTANCE`,
  }),
  notAResource: (name: string, kind: string) => ({
    problem: `Invalid name: '${name}' is not projects/PROJECT/instances/INSTANCE/${kind}/ID`,
  }),
  notAView: (name: string) => ({
    problem:
      `Invalid name: '${name}' is not ` +
      'projects/PROJECT/instances/INSTANCE/tables/TABLE/authorizedViews/ID',
  }),
  notABackup: (name: string) => ({
    problem:
      `Invalid name: '${name}' is not ` +
      'projects/PROJECT/instances/INSTANCE/clusters/CLUSTER/backups/ID',
  }),
  notAnId: (kind: string, id: string, source: string) => ({
    problem: `Invalid id for a resource of ${kind}: '${id}' does not match ${source}`,
  }),
} satisfies FaultTexts;
