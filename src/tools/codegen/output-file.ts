/**
 * Generated files as data. Generators only return them; the command writes them to disk, or
 * compares them with the files that are already there.
 */
import type { EntityModel } from '../../entities/model/index.js';
import type { ReservedOf } from '../../entities/proto/index.js';

/** One generated file. */
export interface OutputFile {
  /** Relative to the output folder, with `/` and without `..`. */
  readonly path: string;
  /**
   * Text ends with a line break. The same models always give the same bytes: no times, no versions,
   * no paths of this machine.
   */
  readonly content: string | Uint8Array;
}

/** The input of every generator. */
export interface GeneratorInput {
  /** All entities of the project, in the order in which the config lists them. */
  readonly models: readonly EntityModel[];
  /** The authorized views of these entities; default: none. */
  readonly views?: readonly EntityModel[];
  /**
   * The database URL of the config. `bigtable://project/instance` gives the project and instance
   * that schemas for other tools refer to.
   */
  readonly url?: string | undefined;
  /** What a message or enum must not use again, by its full protobuf name; from the lock file. */
  readonly reserved?: ReservedOf | undefined;
  /** The version of an entity's declaration in the lock file. */
  readonly lockVersion?: (model: EntityModel) => string;
  /** Whether other languages get writers of rows that they must not write; default: false. */
  readonly unsafeWriters?: boolean;
}

/** One kind of output: `rowsmith generate NAME`. */
export interface Generator {
  /** As typed on the command line, in lower case: `proto`. */
  readonly name: string;
  /** One line for the list of generators. */
  readonly summary: string;
  /** Set if it writes a program in another language: it runs if it is named, and from then on. */
  readonly language?: true;
  /**
   * The files for these models; nothing is written to disk. Throws a RowsmithError for models that
   * this kind of output cannot express.
   */
  generate(input: GeneratorInput): readonly OutputFile[] | Promise<readonly OutputFile[]>;
}
