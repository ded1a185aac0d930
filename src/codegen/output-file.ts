/**
 * What generators make: files, as data. Writing them, or comparing them with what is there, is the
 * command's.
 */
import type { EntityModel } from '../model/index.js';
import type { ReservedOf } from './proto-source/proto-file.js';

/** One generated file. */
export interface OutputFile {
  /** Relative to the output folder, with `/`; never upward. */
  readonly path: string;
  /**
   * Text ends with a line break. The same models always give the same bytes: no times, no versions,
   * no machine paths.
   */
  readonly content: string | Uint8Array;
}

/** What generators read. */
export interface GeneratorInput {
  /** All entities of the project, in the order of their declaration in the config. */
  readonly models: readonly EntityModel[];
  /**
   * Where the rows are, as the config says it: `bigtable://project/instance` names what schema for
   * other tools is for.
   */
  readonly url?: string | undefined;
  /** What a message or enum, by full protobuf name, must not use again; the lock file knows it. */
  readonly reserved?: ReservedOf | undefined;
}

/** One kind of output: `rowsmith generate NAME`. */
export interface Generator {
  /** As it is typed: lower case, `proto`. */
  readonly name: string;
  /** One line for the list of generators. */
  readonly summary: string;
  /**
   * The files, for these models. Nothing is written here. Throws a RowsmithError where the models
   * cannot be put into this form.
   */
  generate(input: GeneratorInput): readonly OutputFile[] | Promise<readonly OutputFile[]>;
}
