/**
 * A page of an lmdb tree, checked when it is read. Layout: lmdb-js, mdb.c (MDB_page, MDB_node), 64
 * bit.
 */

const headerBytes = 24;
const nodeHeaderBytes = 8;
/** Bytes of a reference to overflow pages in a node (MDB_ovpage). */
const overflowNodeBytes = 24;
const flags = { branch: 1, leaf: 2, overflow: 4, bigData: 1 } as const;
/** Has no meaning in the file, but may have been written. */
const dirtyFlag = 0x2000;

/** A branch or leaf page. */
export interface TreePage {
  readonly bytes: Buffer;
  readonly isLeaf: boolean;
  /** Offsets of the nodes, in key order. */
  readonly nodes: Uint16Array;
}

/** A value: in its leaf page, or on overflow pages. */
export type StoredValue =
  | { readonly kind: 'inline'; readonly start: number; readonly end: number }
  | { readonly kind: 'overflow'; readonly page: number; readonly bytes: number };

/**
 * Parses the bytes of a page; undefined if they are not a page of the tree with this number, that
 * was written by transaction `newest` or before.
 */
export function parseTreePage(bytes: Buffer, page: number, newest: bigint): TreePage | undefined {
  if (bytes.readBigUInt64LE(0) !== BigInt(page) || bytes.readBigUInt64LE(8) > newest)
    return undefined;
  const type = bytes.readUInt16LE(18) & ~dirtyFlag;
  if (type !== flags.branch && type !== flags.leaf) return undefined;
  const isLeaf = type === flags.leaf;
  const nodes = nodesOf(bytes, isLeaf);
  if (nodes === undefined) return undefined;
  const parsed = { bytes, isLeaf, nodes };
  // lmdb ignores the first key of a branch page.
  for (let i = isLeaf ? 1 : 2; i < nodes.length; i++)
    if (compareNodes(bytes, nodes[i - 1], nodes[i]) >= 0) return undefined;
  return parsed;
}

/** Offsets of the nodes, which fill the upper part of the page without gaps. */
function nodesOf(bytes: Buffer, isLeaf: boolean): Uint16Array | undefined {
  const lower = bytes.readUInt16LE(20);
  const upper = bytes.readUInt16LE(22);
  const usable = bytes.length - headerBytes;
  if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > usable) return undefined;
  const nodes = new Uint16Array(lower / 2);
  let filled = 0;
  for (let i = 0; i < nodes.length; i++) {
    const offset = bytes.readUInt16LE(headerBytes + i * 2);
    if (offset % 2 !== 0 || offset < upper || offset + nodeHeaderBytes > usable) return undefined;
    const node = headerBytes + offset;
    let size = nodeHeaderBytes + bytes.readUInt16LE(node + 6);
    if (isLeaf) size += inlineBytes(bytes, node);
    if (offset + size > usable) return undefined;
    filled += size + (size & 1);
    nodes[i] = node;
  }
  return filled === usable - upper ? nodes : undefined;
}

/** Bytes of a leaf node besides its header and key. */
function inlineBytes(bytes: Buffer, node: number): number {
  if (bytes.readUInt16LE(node + 4) === flags.bigData) return overflowNodeBytes;
  return bytes.readUInt32LE(node);
}

/** Start of a node's key. */
export function keyStart(node: number): number {
  return node + nodeHeaderBytes;
}

/** End of a node's key. */
export function keyEnd(bytes: Buffer, node: number): number {
  return node + nodeHeaderBytes + bytes.readUInt16LE(node + 6);
}

function compareNodes(bytes: Buffer, a: number, b: number): number {
  return bytes.compare(bytes, keyStart(b), keyEnd(bytes, b), keyStart(a), keyEnd(bytes, a));
}

/** Compares the key of a node with a key. */
export function compareNode(bytes: Buffer, node: number, key: Uint8Array): number {
  return bytes.compare(key, 0, key.length, keyStart(node), keyEnd(bytes, node));
}

/** Index of the first node from `first` on with a key that is not less than the key. */
export function pageLowerBound({ bytes, nodes }: TreePage, key: Uint8Array, first = 0): number {
  let low = first;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareNode(bytes, nodes[middle], key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the child of a branch page that may hold the key. */
export function childIndex(page: TreePage, key: Uint8Array): number {
  const index = pageLowerBound(page, key, 1);
  const { bytes, nodes } = page;
  return index < nodes.length && compareNode(bytes, nodes[index], key) === 0 ? index : index - 1;
}

/** Page number of a child of a branch page. */
export function childPage({ bytes, nodes }: TreePage, index: number): number {
  const node = nodes[index];
  return bytes.readUInt32LE(node) + bytes.readUInt16LE(node + 4) * 2 ** 32;
}

/** Where the value of a leaf's node is. */
export function pageValue({ bytes, nodes }: TreePage, index: number): StoredValue {
  const node = nodes[index];
  const start = keyEnd(bytes, node);
  const size = bytes.readUInt32LE(node);
  if (bytes.readUInt16LE(node + 4) !== flags.bigData)
    return { kind: 'inline', start, end: start + size };
  return { kind: 'overflow', page: Number(bytes.readBigUInt64LE(start)), bytes: size };
}

/**
 * The value in the bytes of overflow pages; undefined if they are not the pages with this
 * number, that was written by transaction `newest` or before.
 */
export function overflowValue(bytes: Buffer, page: number, newest: bigint): Buffer | undefined {
  const isOverflow = (bytes.readUInt16LE(18) & ~dirtyFlag) === flags.overflow;
  if (!isOverflow || bytes.readBigUInt64LE(0) !== BigInt(page)) return undefined;
  return bytes.readBigUInt64LE(8) > newest ? undefined : bytes.subarray(headerBytes);
}

/** Bytes of overflow pages that hold a value of so many bytes. */
export function overflowSize(valueBytes: number): number {
  return headerBytes + valueBytes;
}
