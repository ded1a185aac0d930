package main

import (
	"errors"
	"fmt"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
)

var tableChecks = []check{
	{"tables: create, get, list, delete", tables},
	{"families and garbage collection rules", families},
	{"deletion protection", deletionProtection},
	{"drop row range", dropRowRange},
	{"consistency tokens", func(e *env) error {
		_, err := e.table("consistent", "a")
		return all(err, e.admin.WaitForReplication(e.ctx, "consistent"))
	}},
	{"access policies", accessPolicies},
	{"app profiles", appProfiles},
	{"authorized views", authorizedViews},
	{"schema bundles: list", func(e *env) error {
		_, err := e.table("bundled", "a")
		if err != nil {
			return err
		}
		bundles, err := e.admin.SchemaBundles(e.ctx, "bundled")
		return all(err, equal("bundles", len(bundles), 0))
	}},
}

func tables(e *env) error {
	if err := all(
		e.admin.CreateTable(e.ctx, "empty"),
		e.admin.CreatePresplitTable(e.ctx, "split", []string{"m"}),
	); err != nil {
		return err
	}
	_, err := e.table("whole", "a", "b")
	names, errList := e.admin.Tables(e.ctx)
	sort.Strings(names)
	info, errInfo := e.admin.TableInfo(e.ctx, "whole")
	if err := all(err, errList, errInfo); err != nil {
		return err
	}
	sort.Strings(info.Families)
	return all(
		equal("tables", names, []string{"empty", "split", "whole"}),
		equal("families", info.Families, []string{"a", "b"}),
		fails("created again", e.admin.CreateTable(e.ctx, "whole"), codes.AlreadyExists),
		e.admin.DeleteTable(e.ctx, "empty"),
		fails("deleted again", e.admin.DeleteTable(e.ctx, "empty"), codes.NotFound),
	)
}

func families(e *env) error {
	nested := bigtable.UnionPolicy(
		bigtable.MaxVersionsPolicy(3),
		bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Hour)),
	)
	if _, err := e.table("families", "a"); err != nil {
		return err
	}
	if err := all(
		e.admin.CreateColumnFamily(e.ctx, "families", "b"),
		e.admin.SetGCPolicy(e.ctx, "families", "b", nested),
		e.admin.SetGCPolicy(e.ctx, "families", "a", bigtable.MaxVersionsPolicy(2)),
		e.admin.CreateColumnFamily(e.ctx, "families", "c"),
		e.admin.DeleteColumnFamily(e.ctx, "families", "c"),
		fails("deleted again", e.admin.DeleteColumnFamily(e.ctx, "families", "c"), codes.NotFound),
	); err != nil {
		return err
	}
	info, err := e.admin.TableInfo(e.ctx, "families")
	if err != nil {
		return err
	}
	rules := map[string]string{}
	for _, family := range info.FamilyInfos {
		rules[family.Name] = family.FullGCPolicy.String()
	}
	return equal("rules", rules, map[string]string{
		"a": bigtable.MaxVersionsPolicy(2).String(), "b": nested.String(),
	})
}

func deletionProtection(e *env) error {
	if _, err := e.table("protected", "a"); err != nil {
		return err
	}
	if err := e.admin.UpdateTableWithDeletionProtection(e.ctx, "protected", bigtable.Protected); err != nil {
		return err
	}
	info, err := e.admin.TableInfo(e.ctx, "protected")
	if err != nil {
		return err
	}
	return all(
		equal("protection", info.DeletionProtection, bigtable.Protected),
		fails("deleted", e.admin.DeleteTable(e.ctx, "protected"), codes.FailedPrecondition),
		e.admin.UpdateTableWithDeletionProtection(e.ctx, "protected", bigtable.Unprotected),
		e.admin.DeleteTable(e.ctx, "protected"),
	)
}

func dropRowRange(e *env) error {
	table, err := e.table("dropped", "a")
	for _, key := range []string{"a1", "a2", "b1"} {
		err = all(err, e.set(table, key, "a", "q", 1000, key))
	}
	return all(
		err,
		e.admin.DropRowRange(e.ctx, "dropped", "a"),
		e.reads("after a prefix", table, "b1 a:q@1000=b1", bigtable.InfiniteRange("")),
		e.admin.DropAllRows(e.ctx, "dropped"),
		e.reads("after all", table, "", bigtable.InfiniteRange("")),
	)
}

func accessPolicies(e *env) error {
	if _, err := e.table("policies", "a"); err != nil {
		return err
	}
	handle := e.admin.TableIAM("policies")
	policy, err := handle.Policy(e.ctx)
	if err != nil {
		return err
	}
	policy.Add("user:somebody@example.com", "roles/bigtable.reader")
	if err := handle.SetPolicy(e.ctx, policy); err != nil {
		return err
	}
	policy, err = handle.Policy(e.ctx)
	if err != nil {
		return err
	}
	allowed, err := handle.TestPermissions(e.ctx, []string{"bigtable.tables.readRows"})
	return all(
		err,
		equal("members", policy.Members("roles/bigtable.reader"), []string{"user:somebody@example.com"}),
		equal("permissions", allowed, []string{"bigtable.tables.readRows"}),
	)
}

func appProfiles(e *env) error {
	instances, err := bigtable.NewInstanceAdminClient(e.ctx, project)
	if err != nil {
		return err
	}
	defer instances.Close()
	if err := instances.CreateInstance(e.ctx, &bigtable.InstanceConf{
		InstanceId: "profiled", DisplayName: "Profiled", ClusterId: "cluster-1", Zone: "us-east1-b", NumNodes: 1,
	}); err != nil {
		return err
	}
	if _, err := instances.CreateAppProfile(e.ctx, bigtable.ProfileConf{
		ProfileID: "single", InstanceID: "profiled", Description: "first",
		RoutingConfig: &bigtable.SingleClusterRoutingConfig{ClusterID: "cluster-1"},
	}); err != nil {
		return err
	}
	err = instances.UpdateAppProfile(e.ctx, "profiled", "single",
		bigtable.ProfileAttrsToUpdate{Description: "second", IgnoreWarnings: true})
	profile, errGet := instances.GetAppProfile(e.ctx, "profiled", "single")
	if err := all(err, errGet, equal("description", profile.GetDescription(), "second")); err != nil {
		return err
	}
	listed, profiles := 0, instances.ListAppProfiles(e.ctx, "profiled")
	for {
		_, err := profiles.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			return err
		}
		listed++
	}
	admin, err := bigtable.NewAdminClient(e.ctx, project, "profiled")
	if err != nil {
		return err
	}
	defer admin.Close()
	use := func(id string, write func(*bigtable.Table) error) error {
		config := bigtable.ClientConfig{AppProfile: id}
		client, err := bigtable.NewClientWithConfig(e.ctx, project, "profiled", config)
		if err != nil {
			return err
		}
		defer client.Close()
		return write(client.Open("t"))
	}
	increment := func(table *bigtable.Table) error {
		change := bigtable.NewReadModifyWrite()
		change.Increment("a", "n", 1)
		_, err := table.ApplyReadModifyWrite(e.ctx, "k", change)
		return err
	}
	return all(
		equal("profiles", listed, 2),
		admin.CreateTable(e.ctx, "t"),
		admin.CreateColumnFamily(e.ctx, "t", "a"),
		use("single", func(table *bigtable.Table) error { return e.set(table, "k", "a", "q", 1000, "v") }),
		fails("no single-row transactions", use("single", increment), codes.FailedPrecondition),
		instances.DeleteAppProfile(e.ctx, "profiled", "single"),
		instances.DeleteInstance(e.ctx, "profiled"),
	)
}

func authorizedViews(e *env) error {
	table, err := e.table("viewed", "a", "b")
	subset := &bigtable.SubsetViewConf{}
	subset.AddRowPrefix([]byte("in"))
	subset.AddFamilySubsetQualifier("a", []byte("q"))
	if err := all(
		err,
		e.set(table, "in1", "a", "q", 1000, "1"),
		e.set(table, "in1", "b", "q", 1000, "2"),
		e.set(table, "out", "a", "q", 1000, "3"),
		e.admin.CreateAuthorizedView(e.ctx, &bigtable.AuthorizedViewConf{
			TableID: "viewed", AuthorizedViewID: "view", AuthorizedView: subset,
		}),
	); err != nil {
		return err
	}
	views, err := e.admin.AuthorizedViews(e.ctx, "viewed")
	view := e.data.OpenAuthorizedView("viewed", "view")
	wider := &bigtable.SubsetViewConf{}
	wider.AddRowPrefix([]byte(""))
	wider.AddFamilySubsetQualifier("a", []byte("q"))
	return all(
		err,
		equal("views", views, []string{"view"}),
		e.reads("through the view", view, "in1 a:q@1000=1", bigtable.InfiniteRange("")),
		fails("write outside", e.set(view, "out", "a", "q", 1000, "4"), codes.PermissionDenied),
		e.set(view, "in2", "a", "q", 1000, "5"),
		e.admin.UpdateAuthorizedView(e.ctx, bigtable.UpdateAuthorizedViewConf{
			AuthorizedViewConf: bigtable.AuthorizedViewConf{
				TableID: "viewed", AuthorizedViewID: "view", AuthorizedView: wider,
			},
			IgnoreWarnings: true,
		}),
		e.reads("through the wider view", view, "in1 a:q@1000=1 | in2 a:q@1000=5 | out a:q@1000=3",
			bigtable.InfiniteRange("")),
		e.admin.DeleteAuthorizedView(e.ctx, "viewed", "view"),
	)
}

func backups(e *env) error {
	table, err := e.table("saved", "a")
	if err := all(
		err,
		e.set(table, "k", "a", "q", 1000, "v"),
		e.admin.CreateBackup(e.ctx, "saved", "local", "backup", time.Now().Add(48*time.Hour)),
	); err != nil {
		return err
	}
	info, err := e.admin.BackupInfo(e.ctx, "local", "backup")
	if err != nil {
		return err
	}
	listed, err := e.admin.Backups(e.ctx, "local").Next()
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	return all(
		equal("source", info.SourceTable, "saved"),
		equal("listed", listed.Name, "backup"),
		e.admin.RestoreTable(e.ctx, "restored", "local", "backup"),
		e.reads("restored", e.data.Open("restored"), "k a:q@1000=v", bigtable.InfiniteRange("")),
		e.admin.DeleteBackup(e.ctx, "local", "backup"),
	)
}
