import type { MigrationSource } from './source.ts'

export const oauth: MigrationSource = {
  number: 3,
  name: 'OAuth',
  before: `
CREATE TABLE oauth_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  client_id TEXT NOT NULL REFERENCES oauth_clients(client_id) ON DELETE CASCADE,
  browser_hash TEXT NOT NULL,
  issuer TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  redirect_given INTEGER NOT NULL CHECK (redirect_given IN (0, 1)),
  scope TEXT NOT NULL CHECK (scope IN ('viewer', 'player', 'dm')),
  state TEXT,
  code_challenge TEXT NOT NULL,
  resource TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  used_at TEXT
) STRICT;
CREATE INDEX oauth_requests_client ON oauth_requests(client_id);
CREATE TABLE oauth_codes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  grant_id INTEGER NOT NULL REFERENCES oauth_grants(id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  redirect_uri TEXT NOT NULL,
  redirect_given INTEGER NOT NULL CHECK (redirect_given IN (0, 1)),
  code_challenge TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  claimed_at TEXT
) STRICT;
CREATE INDEX oauth_codes_grant ON oauth_codes(grant_id);
CREATE TABLE oauth_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  grant_id INTEGER NOT NULL REFERENCES oauth_grants(id) ON DELETE CASCADE,
  family INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
  hash TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL CHECK (scope IN ('viewer', 'player', 'dm')),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  claimed_at TEXT,
  revoked_at TEXT
) STRICT;
CREATE INDEX oauth_tokens_grant ON oauth_tokens(grant_id);
CREATE INDEX oauth_tokens_age ON oauth_tokens(expires_at);`,
  after: `
CREATE UNIQUE INDEX oauth_clients_client ON oauth_clients(client_id);
CREATE INDEX oauth_clients_unused ON oauth_clients(id) WHERE authorised_at IS NULL;
CREATE INDEX oauth_grants_client ON oauth_grants(client_id);`,
  frozen: {
    derived: `
CREATE TABLE oauth_clients (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  client_id TEXT NOT NULL,
  secret_hash TEXT,
  auth_method TEXT NOT NULL,
  name TEXT NOT NULL,
  redirect_uris TEXT NOT NULL CHECK (json_valid(redirect_uris)),
  authorised_at TEXT,
  idle_since TEXT
) STRICT;
CREATE TABLE oauth_grants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  client_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  campaign_id INTEGER,
  write_mode TEXT NOT NULL,
  toolsets TEXT CHECK (toolsets IS NULL OR json_valid(toolsets)),
  resource TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  last_used_at TEXT,
  ended_at TEXT,
  ended_reason TEXT
) STRICT;
CREATE INDEX oauth_grants_home_user_id ON oauth_grants(user_id);
`,
    checksum: 'd69d9dff7242cfc5d7746e10a29e6e21eb99050b76c9918f818e39fc964abe6e',
  },
}
