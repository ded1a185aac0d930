/** The sentences of all catalogues of faults in `src`, as they stand in the sources. */
import ts from 'typescript';
import { readSources } from '../layer-rules.js';

/** A sentence as it stands in a source: values are `${expressions}`. */
export interface Sentence {
  readonly path: string;
  readonly fault: string;
  readonly part: 'problem' | 'fix';
  /** Of the command, which prints it instead. */
  readonly shell: boolean;
  readonly text: string;
}

/** The sources that name a problem or a fix, parsed. */
export const sources = [...readSources()]
  .filter(([path, text]) => path.startsWith('src/') && /\b(problem|fix)\b/.test(text))
  .map(parse);

function parse([path, text]: [string, string]): ts.SourceFile {
  const jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode };
  return ts.createSourceFile(path, text, options, true);
}

/** All sentences, in the order of the files. */
export function sentences(): readonly Sentence[] {
  return sources.flatMap((source) => catalogues(source).flatMap((object) => ofCatalogue(object)));
}

/** The objects that `satisfies FaultTexts` follows. */
export function catalogues(source: ts.SourceFile): readonly ts.ObjectLiteralExpression[] {
  const found: ts.ObjectLiteralExpression[] = [];
  visit(source, (node) => {
    if (!ts.isSatisfiesExpression(node) || node.type.getText() !== 'FaultTexts') return;
    if (ts.isObjectLiteralExpression(node.expression)) found.push(node.expression);
  });
  return found;
}

function ofCatalogue(object: ts.ObjectLiteralExpression): readonly Sentence[] {
  const path = object.getSourceFile().fileName;
  return object.properties.flatMap((property) => {
    const fault = property.name!.getText();
    const found: Sentence[] = [];
    visit(property, (node) => {
      if (!ts.isPropertyAssignment(node) || !isSentenceName(node.name.getText())) return;
      const part = node.name.getText() as 'problem' | 'fix';
      found.push({ path, fault, part, shell: isOfShell(node), text: plainText(node.initializer) });
    });
    return found;
  });
}

/** Whether a property holds a sentence. */
export function isSentenceName(name: string): boolean {
  return name === 'problem' || name === 'fix';
}

/** Quotes and line breaks of the source are left out. */
function plainText(expression: ts.Expression): string {
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (ts.isTemplateExpression(expression)) return expression.getText().slice(1, -1);
  if (ts.isBinaryExpression(expression))
    return plainText(expression.left) + plainText(expression.right);
  return expression.getText().replace(/\s+/g, ' ');
}

/** Whether a sentence is in the object `shell` of its fault. */
function isOfShell({ parent: { parent } }: ts.Node): boolean {
  return ts.isPropertyAssignment(parent) && parent.name.getText() === 'shell';
}

/** Calls a function for a node, and for all nodes in it. */
export function visit(node: ts.Node, found: (node: ts.Node) => void): void {
  found(node);
  ts.forEachChild(node, (child) => visit(child, found));
}
