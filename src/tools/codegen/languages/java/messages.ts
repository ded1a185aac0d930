/** The classes that protoc generates of messages. */
import { allMessages, type ProtoFile } from '../../../../entities/proto/index.js';
import type { ValueData } from '../entity-data.js';
import { isJavaWord } from './names.js';

type MessageData = Extract<ValueData, { readonly kind: 'message' }>;

/** A class: how source names it, and how `Class.forName` does. */
export interface MessageClass {
  /** Undefined for one without a package, which classes in packages cannot import. */
  readonly source: string | undefined;
  readonly binary: string;
}

/** The class of a message, by the .proto files of the project. */
export type MessageClasses = (message: MessageData) => MessageClass;

/** protoc puts all messages of a file into one class, named after the file. */
export function messageClasses(files: readonly ProtoFile[]): MessageClasses {
  const outer = new Map(files.map((file) => [file.path.replace(/\.proto$/, ''), outerClass(file)]));
  return ({ file, message, package: javaPackage }) => {
    const nested = `${outer.get(file)!}.${message}`;
    const start = javaPackage === '' ? '' : `${javaPackage}.`;
    const isImportable = javaPackage !== '' && !nested.split('.').some(isJavaWord);
    return {
      source: isImportable ? start + nested : undefined,
      binary: start + nested.replaceAll('.', '$'),
    };
  };
}

function outerClass({ path, messages, enums }: ProtoFile): string {
  const name = path
    .replace(/\.proto$/, '')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .replace(
      /(^|[ 0-9])([a-z])/g,
      (_, before: string, letter: string) => before + letter.toUpperCase(),
    )
    .replaceAll(' ', '');
  const all = allMessages(messages);
  const taken = [...all, ...enums, ...all.flatMap((each) => each.enums)].map((each) =>
    each.name.slice(each.name.lastIndexOf('.') + 1),
  );
  return taken.includes(name) ? `${name}OuterClass` : name;
}
