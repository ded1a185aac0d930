/**
 * Strings of a fixed number of ASCII bytes. One `String.fromCharCode` call with every character as
 * an argument takes a third of the time of a loop, and half the time of a Buffer, which would have
 * to be filled first.
 */

/** 26 characters. */
export function ascii26(b: Uint8Array, i: number): string {
  return String.fromCharCode(
    b[i],
    b[i + 1],
    b[i + 2],
    b[i + 3],
    b[i + 4],
    b[i + 5],
    b[i + 6],
    b[i + 7],
    b[i + 8],
    b[i + 9],
    b[i + 10],
    b[i + 11],
    b[i + 12],
    b[i + 13],
    b[i + 14],
    b[i + 15],
    b[i + 16],
    b[i + 17],
    b[i + 18],
    b[i + 19],
    b[i + 20],
    b[i + 21],
    b[i + 22],
    b[i + 23],
    b[i + 24],
    b[i + 25],
  );
}

/** 36 characters. */
export function ascii36(b: Uint8Array, i: number): string {
  return String.fromCharCode(
    b[i],
    b[i + 1],
    b[i + 2],
    b[i + 3],
    b[i + 4],
    b[i + 5],
    b[i + 6],
    b[i + 7],
    b[i + 8],
    b[i + 9],
    b[i + 10],
    b[i + 11],
    b[i + 12],
    b[i + 13],
    b[i + 14],
    b[i + 15],
    b[i + 16],
    b[i + 17],
    b[i + 18],
    b[i + 19],
    b[i + 20],
    b[i + 21],
    b[i + 22],
    b[i + 23],
    b[i + 24],
    b[i + 25],
    b[i + 26],
    b[i + 27],
    b[i + 28],
    b[i + 29],
    b[i + 30],
    b[i + 31],
    b[i + 32],
    b[i + 33],
    b[i + 34],
    b[i + 35],
  );
}
