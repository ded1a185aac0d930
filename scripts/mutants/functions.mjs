/** The functions of a source file, as V8 counts them: the fields of a class are one as well. */
import ts from 'typescript';

/** @param {string} text */
export function functionsOf(text) {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ES2022, true);
  return {
    /**
     * The innermost one around a place, if any.
     *
     * @param {number} offset @returns {import('typescript').Node | undefined}
     */
    at(offset) {
      /** @type {import('typescript').Node | undefined} */
      let found;
      /** @param {import('typescript').Node} node @param {import('typescript').Node | undefined} outer */
      const visit = (node, outer) => {
        if (offset < node.getStart(source) || offset >= node.getEnd()) return;
        let around = outer;
        if (ts.isFunctionLike(node) || ts.isClassLike(node)) around = node;
        else if (ts.isClassElement(node) && isStatic(node)) around = functionAround(node.parent);
        found = around;
        ts.forEachChild(node, (child) => visit(child, around));
      };
      visit(source, undefined);
      return found;
    },

    /** @param {string} place `line:column`, from 0. */
    offsetOf(place) {
      const [line, column] = place.split(':').map(Number);
      return source.getPositionOfLineAndCharacter(line, column);
    },
  };
}

/** Executed once, with the declaration of its class. @param {import('typescript').ClassElement} element */
function isStatic(element) {
  if (ts.isClassStaticBlockDeclaration(element)) return true;
  if (!ts.isPropertyDeclaration(element)) return false;
  return element.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false;
}

/** @param {import('typescript').Node} node */
function functionAround(node) {
  return ts.findAncestor(node.parent, (each) => ts.isFunctionLike(each) || ts.isClassLike(each));
}
