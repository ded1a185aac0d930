/**
 * A test proxy, by which Google's conformance suite for clients drives our live engine:
 * https://github.com/googleapis/cloud-bigtable-clients-test/blob/main/docs/test_proxy.md
 */
import {
  Server,
  ServerCredentials,
  type handleUnaryCall,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import type { Message } from 'protobufjs';
import type { LiveSettings } from '../../src/engines/bigtable/index.js';
import { statusCode, statusOf, StatusError } from '../../src/engines/protocol/index.js';
import { callStatus, dataCalls } from './calls.js';
import { LiveClients, type ClientRequest } from './live-clients.js';
import { proxyMethods, type ProxyMethod } from './protos.js';

/** A running proxy. */
export interface TestProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a proxy. All its clients have these settings. */
export async function startTestProxy(settings?: LiveSettings): Promise<TestProxy> {
  const clients = new LiveClients(settings);
  const server = new Server();
  const service: Record<string, ServiceDefinition[string]> = {};
  const handlers: Record<string, handleUnaryCall<Message, object>> = {};
  for (const method of proxyMethods) {
    service[method.name] = definitionOf(method);
    handlers[method.name] = ({ request }, callback) => {
      answer(clients, method.name, request).then(
        (response) => callback(null, response),
        (error: unknown) => callback(statusOf(error)),
      );
    };
  }
  server.addService(service, handlers);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  const close = async (): Promise<void> => {
    server.forceShutdown();
    await clients.close();
  };
  return { port, close };
}

function definitionOf({ path, request, response }: ProxyMethod): ServiceDefinition[string] {
  return {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message: Message) => Buffer.from(request.encode(message).finish()),
    requestDeserialize: (bytes: Buffer) => request.decode(bytes),
    responseSerialize: (fields: object) =>
      Buffer.from(response.encode(response.fromObject(fields)).finish()),
    responseDeserialize: (bytes: Buffer) => response.decode(bytes),
  };
}

/** A failed data call is a result with its status; other errors are the proxy's own. */
async function answer(clients: LiveClients, name: string, request: Message): Promise<object> {
  const { clientId } = request as unknown as { clientId: string };
  if (name === 'CreateClient') await clients.create(request as unknown as ClientRequest);
  else if (name === 'CloseClient') await clients.get(clientId).engine.close();
  else if (name === 'RemoveClient') clients.remove(clientId);
  else {
    const call = dataCalls[name];
    if (call === undefined)
      throw new StatusError(statusCode.UNIMPLEMENTED, `${name} is not offered`);
    const client = clients.get(clientId);
    return call(client, request as never).catch((error: unknown) => ({
      status: callStatus(error),
    }));
  }
  return {};
}
