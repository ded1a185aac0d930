"""Checks of the table administration."""

import datetime

from google.cloud.bigtable.data.read_modify_write_rules import IncrementRule

from checks import (
    EVERYTHING,
    INSTANCE,
    PARENT,
    PROJECT,
    admin,
    client,
    create,
    equal,
    fails,
    instances,
    name_of,
    put,
    read,
)


def tables():
    create("empty")
    create("split", splits=[b"m"])
    create("whole", "a", "b")
    names = sorted(table.name for table in admin.list_tables(parent=PARENT))
    equal("tables", names, [name_of(each) for each in ["empty", "split", "whole"]])
    found = admin.get_table(name=name_of("whole"))
    equal("families", sorted(found.column_families), ["a", "b"])
    fails("created again", "ALREADY_EXISTS", lambda: create("whole"))
    admin.delete_table(name=name_of("empty"))
    fails("deleted again", "NOT_FOUND", lambda: admin.delete_table(name=name_of("empty")))


def families():
    create("families", "a")
    nested = {
        "union": {
            "rules": [
                {"max_num_versions": 3},
                {
                    "intersection": {
                        "rules": [
                            {"max_num_versions": 1},
                            {"max_age": datetime.timedelta(hours=1)},
                        ]
                    }
                },
            ]
        }
    }

    def modify(*modifications):
        return admin.modify_column_families(
            request={"name": name_of("families"), "modifications": list(modifications)}
        )

    modify(
        {"id": "b", "create": {"gc_rule": nested}},
        {"id": "a", "update": {"gc_rule": {"max_num_versions": 2}}},
        {"id": "c", "create": {}},
    )
    modify({"id": "c", "drop": True})
    fails("dropped again", "NOT_FOUND", lambda: modify({"id": "c", "drop": True}))
    found = admin.get_table(name=name_of("families")).column_families
    equal("families", sorted(found), ["a", "b"])
    equal("rule of a", found["a"].gc_rule.max_num_versions, 2)
    outer = found["b"].gc_rule.union.rules
    equal("union", outer[0].max_num_versions, 3)
    inner = outer[1].intersection.rules
    equal("intersection", inner[0].max_num_versions, 1)
    equal("age", inner[1].max_age, datetime.timedelta(hours=1))


def deletion_protection():
    create("protected", "a")

    def protect(value):
        admin.update_table(
            table={"name": name_of("protected"), "deletion_protection": value},
            update_mask={"paths": ["deletion_protection"]},
        ).result(timeout=30)

    protect(True)
    equal("protection", admin.get_table(name=name_of("protected")).deletion_protection, True)
    fails(
        "deleted",
        "FAILED_PRECONDITION",
        lambda: admin.delete_table(name=name_of("protected")),
    )
    protect(False)
    admin.delete_table(name=name_of("protected"))


def drop_row_range():
    table = create("dropped", "a")
    for key in ["a1", "a2", "b1"]:
        put(table, key, "a", "q", 1000, key)
    name = name_of("dropped")
    admin.drop_row_range(request={"name": name, "row_key_prefix": b"a"})
    equal("after a prefix", read(table, ranges=EVERYTHING), "b1 a:q@1000=b1")
    admin.drop_row_range(request={"name": name, "delete_all_data_from_table": True})
    equal("after all", read(table, ranges=EVERYTHING), "")


def consistency_tokens():
    create("consistent", "a")
    name = name_of("consistent")
    token = admin.generate_consistency_token(name=name).consistency_token
    found = admin.check_consistency(name=name, consistency_token=token)
    equal("consistent", found.consistent, True)


def access_policies():
    create("policies", "a")
    resource = name_of("policies")
    policy = admin.get_iam_policy(resource=resource)
    binding = policy.bindings.add(role="roles/bigtable.reader")
    binding.members.append("user:somebody@example.com")
    admin.set_iam_policy(request={"resource": resource, "policy": policy})
    stored = admin.get_iam_policy(resource=resource)
    equal("members", list(stored.bindings[0].members), ["user:somebody@example.com"])
    allowed = admin.test_iam_permissions(
        resource=resource, permissions=["bigtable.tables.readRows"]
    )
    equal("permissions", list(allowed.permissions), ["bigtable.tables.readRows"])


def app_profiles():
    parent = f"projects/{PROJECT}/instances/profiled"
    instances.create_instance(
        parent=f"projects/{PROJECT}",
        instance_id="profiled",
        instance={"display_name": "Profiled"},
        clusters={
            "cluster-1": {
                "location": f"projects/{PROJECT}/locations/us-east1-b",
                "serve_nodes": 1,
            }
        },
    ).result(timeout=30)
    instances.create_app_profile(
        parent=parent,
        app_profile_id="single",
        app_profile={
            "description": "first",
            "single_cluster_routing": {"cluster_id": "cluster-1"},
        },
    )
    name = f"{parent}/appProfiles/single"
    instances.update_app_profile(
        request={
            "app_profile": {"name": name, "description": "second"},
            "update_mask": {"paths": ["description"]},
            "ignore_warnings": True,
        }
    ).result(timeout=30)
    equal("description", instances.get_app_profile(name=name).description, "second")
    equal("profiles", len(list(instances.list_app_profiles(parent=parent))), 2)
    admin.create_table(parent=parent, table_id="t", table={"column_families": {"a": {}}})
    table = client.get_table("profiled", "t", app_profile_id="single")
    put(table, "k", "a", "q", 1000, "v")

    def increment(table):
        table.read_modify_write_row("k", IncrementRule("a", "n", 1))

    fails("no single-row transactions", "FAILED_PRECONDITION", lambda: increment(table))
    instances.delete_app_profile(request={"name": name, "ignore_warnings": True})
    instances.delete_instance(name=parent)


def authorized_views():
    table = create("viewed", "a", "b")
    put(table, "in1", "a", "q", 1000, "1")
    put(table, "in1", "b", "q", 1000, "2")
    put(table, "out", "a", "q", 1000, "3")
    subsets = {"a": {"qualifiers": [b"q"]}}
    admin.create_authorized_view(
        parent=name_of("viewed"),
        authorized_view_id="view",
        authorized_view={"subset_view": {"row_prefixes": [b"in"], "family_subsets": subsets}},
    ).result(timeout=30)
    name = f"{name_of('viewed')}/authorizedViews/view"
    listed = [view.name for view in admin.list_authorized_views(parent=name_of("viewed"))]
    equal("views", listed, [name])
    view = client.get_authorized_view(INSTANCE, "viewed", "view")
    equal("through the view", read(view, ranges=EVERYTHING), "in1 a:q@1000=1")
    fails("write outside", "PERMISSION_DENIED", lambda: put(view, "out", "a", "q", 1000, "4"))
    put(view, "in2", "a", "q", 1000, "5")
    admin.update_authorized_view(
        authorized_view={
            "name": name,
            "subset_view": {"row_prefixes": [b""], "family_subsets": subsets},
        },
        update_mask={"paths": ["subset_view"]},
    ).result(timeout=30)
    equal(
        "through the wider view",
        read(view, ranges=EVERYTHING),
        "in1 a:q@1000=1 | in2 a:q@1000=5 | out a:q@1000=3",
    )
    admin.delete_authorized_view(name=name)


def backups():
    put(create("saved", "a"), "k", "a", "q", 1000, "v")
    cluster = f"{PARENT}/clusters/local"
    expiry = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=48)
    admin.create_backup(
        parent=cluster,
        backup_id="backup",
        backup={"source_table": name_of("saved"), "expire_time": expiry},
    ).result(timeout=30)
    name = f"{cluster}/backups/backup"
    equal("source", admin.get_backup(name=name).source_table, name_of("saved"))
    equal("listed", [backup.name for backup in admin.list_backups(parent=cluster)], [name])
    admin._restore_table(
        request={"parent": PARENT, "table_id": "restored", "backup": name}
    ).result(timeout=30)
    restored = client.get_table(INSTANCE, "restored")
    equal("restored", read(restored, ranges=EVERYTHING), "k a:q@1000=v")
    admin.delete_backup(name=name)


def schema_bundles():
    create("bundled", "a")
    equal("bundles", list(admin.list_schema_bundles(parent=name_of("bundled"))), [])


CHECKS = {
    "tables: create, get, list, delete": tables,
    "families and garbage collection rules": families,
    "deletion protection": deletion_protection,
    "drop row range": drop_row_range,
    "consistency tokens": consistency_tokens,
    "access policies": access_policies,
    "app profiles": app_profiles,
    "authorized views": authorized_views,
    "schema bundles: list": schema_bundles,
}
LAST = {"backups": backups}
