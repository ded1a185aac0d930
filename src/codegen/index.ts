/** Models -> what other tools read. */
import type { Generator } from './output-file.js';
import { protoGenerators } from './proto-generators.js';
import { schemaGenerators } from './schema-generators.js';

export type { Generator, GeneratorInput, OutputFile } from './output-file.js';

/** Everything `rowsmith generate` can make, in the order in which it is listed. */
export const generators: readonly Generator[] = [...protoGenerators, ...schemaGenerators];

export { fromProto, type ProtoMessage, type ProtoMessageName } from './runtime/from-proto.js';
export { seeProtosFrom } from './runtime/registered-proto.js';
