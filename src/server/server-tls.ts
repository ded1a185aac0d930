/** The certificate of a server. */

/** A certificate and its private key, as PEM. */
export interface ServerTls {
  /** The certificate, followed by the intermediate ones if there are any. */
  readonly cert: string | Uint8Array;
  /** The private key, not encrypted. */
  readonly key: string | Uint8Array;
}
