const encoder = new TextEncoder();

/** The text as UTF-8; a lone surrogate becomes U+FFFD. */
export const utf8Bytes = (text: string): Uint8Array => encoder.encode(text);
