/** Removes what identifies a project from texts that are published. */
import type { Service } from './service.js';

/** Texts of errors name projects and instances by id, and projects by number, too. */
export function redactor({ project, instance, appProfile }: Service): (text: string) => string {
  const names = new Map([
    [project, 'PROJECT'],
    [instance, 'INSTANCE'],
    [appProfile, 'PROFILE'],
  ]);
  return (text) =>
    text
      .replaceAll(/\b(projects?[/ =]|project_number[:=])[\w.:{}-]+/g, '$1PROJECT')
      .replaceAll(/\b(instances\/)[\w-]+/g, '$1INSTANCE')
      .replaceAll(/\b(appProfiles\/)[\w.-]+/g, '$1PROFILE')
      .replaceAll(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, 'ACCOUNT')
      // Whole words only: an instance may be named `a`. A project's id may have a colon.
      .replaceAll(/[\w.:{}-]*[\w}]/g, (word) => names.get(word) ?? withoutNames(word, names));
}

/** The words between the colons. */
function withoutNames(text: string, names: ReadonlyMap<string | undefined, string>): string {
  return text.replaceAll(/[^:]+/g, (word) => names.get(word) ?? word);
}
