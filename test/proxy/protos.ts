/**
 * The protocol of Google's test proxies (google.bigtable.testproxy), from the files that Google's
 * client for Node ships.
 */
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

const protos = '@google-cloud/bigtable/build/protos';
const root = protobuf.Root.fromJSON(require(`${protos}/protos.json`) as protobuf.INamespace);
protobuf.parse(readFileSync(require.resolve(`${protos}/test_proxy.proto`), 'utf8'), root);
root.resolveAll();

const serviceName = 'google.bigtable.testproxy.CloudBigtableV2TestProxy';

/** A method of the service, with its messages. */
export interface ProxyMethod {
  readonly name: string;
  /** `/google.bigtable.testproxy.CloudBigtableV2TestProxy/ReadRow` */
  readonly path: string;
  readonly request: protobuf.Type;
  readonly response: protobuf.Type;
}

/** The methods of the service. */
export const proxyMethods: readonly ProxyMethod[] = root
  .lookupService(serviceName)
  .methodsArray.map(({ name, resolvedRequestType, resolvedResponseType }) => ({
    name,
    path: `/${serviceName}/${name}`,
    request: resolvedRequestType!,
    response: resolvedResponseType!,
  }));

/** A message of the Bigtable API, as the proxy's messages contain it, in bytes. */
export function bytesOf(message: protobuf.Message): Uint8Array {
  return message.$type.encode(message).finish();
}

/** The message of bytes that our codec has encoded. */
export function messageOf(name: string, bytes: Uint8Array): protobuf.Message {
  return root.lookupType(`google.bigtable.v2.${name}`).decode(bytes);
}
