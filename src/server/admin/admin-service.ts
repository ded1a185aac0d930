/** A service with methods that reject request fields that this server does not know. */
import { rejectUnknownFields, type MessageType } from '../../engines/protocol/index.js';
import { Service, type Method } from '../rpc.js';

/** Builds the methods of an admin service. */
export class AdminService extends Service {
  override unary<Request extends object, Response>(
    name: string,
    requestType: MessageType<Request>,
    responseType: MessageType<Response>,
    handle: (request: Request, signalOf: () => AbortSignal) => Promise<Response>,
    resourceOf?: (request: Request) => string | undefined,
  ): Method {
    const { shape, decode } = requestType;
    const strict = {
      shape,
      decode: (bytes: Uint8Array): Request => {
        const request = decode(bytes);
        rejectUnknownFields(shape, request);
        return request;
      },
    };
    return super.unary(name, strict, responseType, handle, resourceOf);
  }
}
