/** All that a server keeps besides rows, through its own list methods. */
import type { RawClient } from './raw-client.js';

interface Named {
  readonly name: string;
}

/** The resources of a project, with authorized views, and the access policies of its instances and tables. */
export async function resourceState(client: RawClient, project: string): Promise<object> {
  const options = { requestedPolicyVersion: 3 };
  const found: object[] = [];
  const { instances } = await client.unary('instances', 'ListInstances', { parent: project });
  for (const instance of instances as Named[]) {
    const parent = instance.name;
    const list = (method: string) => client.unary('instances', method, { parent });
    const { tables = [] } = await client.unary('tables', 'ListTables', { parent, view: 'FULL' });
    const policies: object[] = [
      await client.unary('instances', 'GetIamPolicy', { resource: parent, options }),
    ];
    const views: object[] = [];
    for (const { name } of tables as Named[]) {
      policies.push(await client.unary('tables', 'GetIamPolicy', { resource: name, options }));
      const listed = { parent: name, view: 'FULL' };
      const { authorizedViews = [] } = await client.unary('tables', 'ListAuthorizedViews', listed);
      views.push(...authorizedViews);
    }
    found.push({
      instance,
      ...(await list('ListClusters')),
      ...(await list('ListAppProfiles')),
      tables,
      policies,
      views,
    });
  }
  return found;
}
