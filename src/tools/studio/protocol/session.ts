/** What the page knows of the studio it belongs to. */
import type { WorkloadInfo } from './simulate.js';

/** Response of `session`. Nothing in it is secret: no credentials, no token. */
export interface Session {
  /** Version of Rowsmith. */
  readonly version: string;
  /** Version of this protocol. A page with another version asks to be reloaded. */
  readonly protocol: number;
  readonly database: DatabaseInfo;
  /** Whether changes are allowed; otherwise why not, and what to do. */
  readonly write:
    | { readonly allowed: true }
    | { readonly allowed: false; readonly reason: string; readonly fix: string };
  /** The time zone of the server's process, such as `Europe/Berlin`: a first choice of the page. */
  readonly zone: string;
  /** Whether the studio was started with a recording, which `heat` maps. */
  readonly heat: boolean;
  /** Workloads of the project, which `simulate` runs. */
  readonly workloads: readonly WorkloadInfo[];
}

/** The back end. */
export interface DatabaseInfo {
  readonly kind: 'memory' | 'disk' | 'emulator' | 'bigtable';
  /** For people: the directory, or project and instance, without parameters. */
  readonly name: string;
  /** Address of the emulator or server; undefined for other kinds. */
  readonly address?: string | undefined;
}
