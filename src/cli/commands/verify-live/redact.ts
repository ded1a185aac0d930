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
      .replaceAll(/\b(projects?[/ ])[\w.:{}-]+/g, '$1PROJECT')
      .replaceAll(/\b(instances\/)[\w-]+/g, '$1INSTANCE')
      .replaceAll(/\b(appProfiles\/)[\w.-]+/g, '$1PROFILE')
      .replaceAll(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, 'ACCOUNT')
      // Whole words only: an instance may be named `a`.
      .replaceAll(/[\w.:{}-]*[\w}]/g, (word) => names.get(word) ?? word);
}
