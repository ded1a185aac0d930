/**
 * grpc.reflection.v1.ServerReflection and v1alpha, which have the same messages: tools such as
 * grpcurl ask it for the services and their messages.
 */
import {
  bytes,
  int32,
  list,
  many,
  messageType,
  one,
  StatusError,
  statusCode,
  text,
  type ContentOf,
} from '../../engines/protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import { readPublishedFiles, type PublishedFiles } from './published-files.js';

/** The names of the service. */
export const reflectionNames = [
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
] as const;

const name = (message: string): string => `grpc.reflection.v1.${message}`;
const asked = 'messageRequest';
const Request = messageType(name('ServerReflectionRequest'), {
  host: text(1),
  fileByFilename: text(3, asked),
  fileContainingSymbol: text(4, asked),
  fileContainingExtension: one(
    5,
    messageType(name('ExtensionRequest'), { containingType: text(1), extensionNumber: int32(2) }),
    asked,
  ),
  allExtensionNumbersOfType: text(6, asked),
  listServices: text(7, asked),
});
const answer = 'messageResponse';
const Response = messageType(name('ServerReflectionResponse'), {
  validHost: text(1),
  originalRequest: one(2, Request),
  files: one(
    4,
    messageType(name('FileDescriptorResponse'), { descriptors: list(bytes(1)) }),
    answer,
  ),
  extensions: one(
    5,
    messageType(name('ExtensionNumberResponse'), {
      baseTypeName: text(1),
      numbers: list(int32(2)),
    }),
    answer,
  ),
  services: one(
    6,
    messageType(name('ListServiceResponse'), {
      services: many(1, messageType(name('ServiceResponse'), { name: text(1) })),
    }),
    answer,
  ),
  error: one(7, messageType(name('ErrorResponse'), { code: int32(1), message: text(2) }), answer),
});

type Answer = ContentOf<typeof Response>;

/** Describes the services of a server. */
export class Reflection {
  readonly #services: readonly string[];
  #published: PublishedFiles | undefined;

  /** `services` are the full names of all that are served. */
  constructor(services: readonly string[]) {
    this.#services = services;
  }

  /** The method of one version of the service. */
  methods(service: Service): Methods {
    const method = service.conversation('ServerReflectionInfo', Request, (request) =>
      Response.encode({
        validHost: request.host,
        originalRequest: request,
        ...this.#answer(request),
      }),
    );
    return { ServerReflectionInfo: method };
  }

  #answer(request: ContentOf<typeof Request>): Answer {
    try {
      if (request.listServices !== undefined)
        return { services: { services: this.#services.map((each) => ({ name: each })) } };
      if (request.fileByFilename !== undefined) return this.#file(request.fileByFilename);
      if (request.fileContainingSymbol !== undefined)
        return this.#file(this.#fileOf(request.fileContainingSymbol));
      if (request.allExtensionNumbersOfType !== undefined) {
        this.#fileOf(request.allExtensionNumbersOfType);
        return { extensions: { baseTypeName: request.allExtensionNumbersOfType } };
      }
      if (request.fileContainingExtension === undefined)
        throw new StatusError(statusCode.INVALID_ARGUMENT, 'The request asks for nothing');
      throw notFound('The services use no extensions');
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { error: { code: error.code, message: error.message } };
    }
  }

  /** The file and all files that it imports, each once. */
  #file(asked: string): Answer {
    const { files } = this.#files();
    const found = new Set<string>();
    const add = (file: string): void => {
      if (found.has(file)) return;
      found.add(file);
      files.get(file)!.imports.forEach(add);
    };
    if (!files.has(asked)) throw notFound(`There is no file ${asked}`);
    add(asked);
    return { files: { descriptors: [...found].map((file) => files.get(file)!.bytes) } };
  }

  #fileOf(symbol: string): string {
    const file = this.#files().fileOfSymbol.get(symbol.replace(/^\./, ''));
    if (file === undefined) throw notFound(`There is no symbol ${symbol}`);
    return file;
  }

  /** Read for the first client: most servers have none. */
  #files(): PublishedFiles {
    return (this.#published ??= readPublishedFiles());
  }
}

function notFound(message: string): StatusError {
  return new StatusError(statusCode.NOT_FOUND, message);
}
