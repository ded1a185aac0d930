import static com.google.cloud.bigtable.admin.v2.models.GCRules.GCRULES;

import com.google.cloud.Identity;
import com.google.cloud.Policy;
import com.google.cloud.Role;
import com.google.cloud.bigtable.admin.v2.BigtableInstanceAdminClient;
import com.google.cloud.bigtable.admin.v2.BigtableInstanceAdminSettings;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.models.AppProfile.SingleClusterRoutingPolicy;
import com.google.cloud.bigtable.admin.v2.models.ColumnFamily;
import com.google.cloud.bigtable.admin.v2.models.CreateAppProfileRequest;
import com.google.cloud.bigtable.admin.v2.models.CreateAuthorizedViewRequest;
import com.google.cloud.bigtable.admin.v2.models.CreateBackupRequest;
import com.google.cloud.bigtable.admin.v2.models.CreateInstanceRequest;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.admin.v2.models.FamilySubsets;
import com.google.cloud.bigtable.admin.v2.models.GCRules.GCRule;
import com.google.cloud.bigtable.admin.v2.models.ModifyColumnFamiliesRequest;
import com.google.cloud.bigtable.admin.v2.models.RestoreTableRequest;
import com.google.cloud.bigtable.admin.v2.models.StorageType;
import com.google.cloud.bigtable.admin.v2.models.SubsetView;
import com.google.cloud.bigtable.admin.v2.models.UpdateAppProfileRequest;
import com.google.cloud.bigtable.admin.v2.models.UpdateAuthorizedViewRequest;
import com.google.cloud.bigtable.admin.v2.models.UpdateTableRequest;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.BigtableDataSettings;
import com.google.cloud.bigtable.data.v2.models.AuthorizedViewId;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.ReadModifyWriteRow;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.protobuf.ByteString;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.threeten.bp.Instant;

/** Checks of the table administration. */
final class TableChecks {
  private final Checks checks;
  private final BigtableTableAdminClient admin;

  TableChecks(Checks checks) {
    this.checks = checks;
    this.admin = checks.admin;
  }

  Map<String, Checks.Check> all() {
    Map<String, Checks.Check> all = new LinkedHashMap<>();
    all.put("tables: create, get, list, delete", this::tables);
    all.put("families and garbage collection rules", this::families);
    all.put("deletion protection", this::deletionProtection);
    all.put("drop row range", this::dropRowRange);
    all.put("consistency tokens", this::consistency);
    all.put("access policies", this::accessPolicies);
    all.put("app profiles", this::appProfiles);
    all.put("authorized views", this::authorizedViews);
    all.put("schema bundles: list", this::schemaBundles);
    return all;
  }

  private void tables() {
    checks.create("empty");
    admin.createTable(CreateTableRequest.of("split").addSplit(ByteString.copyFromUtf8("m")));
    checks.create("whole", "a", "b");
    Checks.equal("tables", new TreeSet<>(admin.listTables()), Set.of("empty", "split", "whole"));
    Set<String> families = new TreeSet<>();
    for (ColumnFamily family : admin.getTable("whole").getColumnFamilies()) families.add(family.getId());
    Checks.equal("families", families, Set.of("a", "b"));
    Checks.equal("exists", List.of(admin.exists("whole"), admin.exists("none")), List.of(true, false));
    Checks.fails("created again", "ALREADY_EXISTS", () -> checks.create("whole"));
    admin.deleteTable("empty");
    Checks.fails("deleted again", "NOT_FOUND", () -> admin.deleteTable("empty"));
  }

  private void families() {
    checks.create("families", "a");
    GCRule inner =
        GCRULES.intersection().rule(GCRULES.maxVersions(1)).rule(GCRULES.maxAge(1, TimeUnit.HOURS));
    GCRule nested = GCRULES.union().rule(GCRULES.maxVersions(3)).rule(inner);
    admin.modifyFamilies(
        ModifyColumnFamiliesRequest.of("families")
            .addFamily("b", nested)
            .updateFamily("a", GCRULES.maxVersions(2))
            .addFamily("c"));
    ModifyColumnFamiliesRequest drop = ModifyColumnFamiliesRequest.of("families").dropFamily("c");
    admin.modifyFamilies(drop);
    Checks.fails("dropped again", "NOT_FOUND", () -> admin.modifyFamilies(drop));
    Map<String, GCRule> rules = new TreeMap<>();
    for (ColumnFamily family : admin.getTable("families").getColumnFamilies())
      rules.put(family.getId(), family.getGCRule());
    Checks.equal("rules", rules, Map.of("a", GCRULES.maxVersions(2), "b", nested));
  }

  private void deletionProtection() {
    checks.create("protected", "a");
    admin.updateTable(UpdateTableRequest.of("protected").setDeletionProtection(true));
    Checks.equal("protection", admin.getTable("protected").isDeletionProtected(), true);
    Checks.fails("deleted", "FAILED_PRECONDITION", () -> admin.deleteTable("protected"));
    admin.updateTable(UpdateTableRequest.of("protected").setDeletionProtection(false));
    admin.deleteTable("protected");
  }

  private void dropRowRange() {
    checks.create("dropped", "a");
    for (String key : List.of("a1", "a2", "b1")) checks.put("dropped", key, "a", "q", 1000, key);
    admin.dropRowRange("dropped", "a");
    checks.reads("after a prefix", Query.create("dropped"), "b1 a:q@1000=b1");
    admin.dropAllRows("dropped");
    checks.reads("after all", Query.create("dropped"), "");
  }

  private void consistency() {
    checks.create("consistent", "a");
    admin.awaitReplication("consistent");
  }

  private void accessPolicies() {
    checks.create("policies", "a");
    Role reader = Role.of("bigtable.reader");
    Identity somebody = Identity.user("somebody@example.com");
    Policy policy = admin.getIamPolicy("policies");
    admin.setIamPolicy("policies", policy.toBuilder().addIdentity(reader, somebody).build());
    Checks.equal(
        "members", admin.getIamPolicy("policies").getBindings().get(reader), Set.of(somebody));
    String permission = "bigtable.tables.readRows";
    Checks.equal(
        "permissions", admin.testIamPermission("policies", permission), List.of(permission));
  }

  private void appProfiles() throws Exception {
    String[] address = System.getenv("BIGTABLE_EMULATOR_HOST").split(":");
    int port = Integer.parseInt(address[1]);
    // This client has no emulator mode of its own in the environment.
    BigtableInstanceAdminSettings settings =
        BigtableInstanceAdminSettings.newBuilderForEmulator(address[0], port)
            .setProjectId(Checks.PROJECT)
            .build();
    try (BigtableInstanceAdminClient instances = BigtableInstanceAdminClient.create(settings)) {
      instances.createInstance(
          CreateInstanceRequest.of("profiled").addCluster("cluster-1", "us-east1-b", 1, StorageType.SSD));
      instances.createAppProfile(
          CreateAppProfileRequest.of("profiled", "single")
              .setDescription("first")
              .setRoutingPolicy(SingleClusterRoutingPolicy.of("cluster-1")));
      instances.updateAppProfile(
          UpdateAppProfileRequest.of("profiled", "single").setDescription("second").setIgnoreWarnings(true));
      Checks.equal(
          "description", instances.getAppProfile("profiled", "single").getDescription(), "second");
      Checks.equal("profiles", instances.listAppProfiles("profiled").size(), 2);
      try (BigtableTableAdminClient tables = BigtableTableAdminClient.create(Checks.PROJECT, "profiled")) {
        tables.createTable(CreateTableRequest.of("t").addFamily("a"));
      }
      BigtableDataSettings single =
          BigtableDataSettings.newBuilderForEmulator(address[0], port)
              .setProjectId(Checks.PROJECT)
              .setInstanceId("profiled")
              .setAppProfileId("single")
              .build();
      try (BigtableDataClient data = BigtableDataClient.create(single)) {
        data.mutateRow(RowMutation.create("t", "k").setCell("a", "q", 1000, "v"));
        Checks.fails(
            "no single-row transactions",
            "FAILED_PRECONDITION",
            () -> data.readModifyWriteRow(ReadModifyWriteRow.create("t", "k").increment("a", "n", 1)));
      }
      instances.deleteAppProfile("profiled", "single", true);
      instances.deleteInstance("profiled");
    }
  }

  private void authorizedViews() {
    checks.create("viewed", "a", "b");
    checks.put("viewed", "in1", "a", "q", 1000, "1");
    checks.put("viewed", "in1", "b", "q", 1000, "2");
    checks.put("viewed", "out", "a", "q", 1000, "3");
    FamilySubsets columns = FamilySubsets.create().addQualifier("q");
    admin.createAuthorizedView(
        CreateAuthorizedViewRequest.of("viewed", "view")
            .setAuthorizedViewType(
                SubsetView.create().addRowPrefix("in").setFamilySubsets("a", columns)));
    Checks.equal("views", admin.listAuthorizedViews("viewed"), List.of("view"));
    AuthorizedViewId view = AuthorizedViewId.of("viewed", "view");
    checks.reads("through the view", Query.create(view), "in1 a:q@1000=1");
    Checks.fails(
        "write outside", "PERMISSION_DENIED", () -> checks.put(view, "out", "a", "q", 1000, "4"));
    checks.put(view, "in2", "a", "q", 1000, "5");
    admin.updateAuthorizedView(
        UpdateAuthorizedViewRequest.of("viewed", "view")
            .setAuthorizedViewType(
                SubsetView.create().addRowPrefix("").setFamilySubsets("a", columns))
            .setIgnoreWarnings(true));
    checks.reads(
        "through the wider view",
        Query.create(view),
        "in1 a:q@1000=1 | in2 a:q@1000=5 | out a:q@1000=3");
    admin.deleteAuthorizedView("viewed", "view");
  }

  private void schemaBundles() {
    checks.create("bundled", "a");
    Checks.equal("bundles", admin.listSchemaBundles("bundled"), List.of());
  }

  void backups() throws Exception {
    checks.create("saved", "a");
    checks.put("saved", "k", "a", "q", 1000, "v");
    admin.createBackup(
        CreateBackupRequest.of("local", "backup")
            .setSourceTableId("saved")
            .setExpireTime(Instant.now().plusSeconds(48 * 3600)));
    Checks.equal("source", admin.getBackup("local", "backup").getSourceTableId(), "saved");
    Checks.equal("listed", admin.listBackups("local"), List.of("backup"));
    admin.restoreTable(RestoreTableRequest.of("local", "backup").setTableId("restored"));
    checks.reads("restored", Query.create("restored"), "k a:q@1000=v");
    admin.deleteBackup("local", "backup");
  }
}
