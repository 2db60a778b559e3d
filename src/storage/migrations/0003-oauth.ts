import type { MigrationSource } from './source.ts'

export const oauth: MigrationSource = {
  number: 3,
  name: 'OAuth',
  before: `
CREATE TABLE oauth_clients (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  client_id TEXT NOT NULL UNIQUE,
  secret_hash TEXT,
  auth_method TEXT NOT NULL CHECK (auth_method IN ('none', 'client_secret_post', 'client_secret_basic')),
  name TEXT NOT NULL,
  redirect_uris TEXT NOT NULL CHECK (json_valid(redirect_uris)),
  created_at TEXT NOT NULL,
  authorised_at TEXT,
  idle_since TEXT,
  CHECK ((auth_method = 'none') = (secret_hash IS NULL))
) STRICT;
CREATE INDEX oauth_clients_unused ON oauth_clients(id) WHERE authorised_at IS NULL;
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
CREATE TABLE oauth_grants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  client_id TEXT NOT NULL REFERENCES oauth_clients(client_id) ON DELETE CASCADE,
  scope TEXT NOT NULL CHECK (scope IN ('viewer', 'player', 'dm')),
  campaign_id INTEGER REFERENCES campaigns(id) ON DELETE CASCADE,
  write_mode TEXT NOT NULL CHECK (write_mode IN ('read', 'propose', 'direct')),
  toolsets TEXT CHECK (toolsets IS NULL OR json_valid(toolsets)),
  resource TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  last_used_at TEXT,
  ended_at TEXT,
  ended_reason TEXT
) STRICT;
CREATE INDEX oauth_grants_user ON oauth_grants(user_id);
CREATE INDEX oauth_grants_client ON oauth_grants(client_id);
CREATE INDEX oauth_grants_campaign ON oauth_grants(campaign_id);
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
  frozen: null,
}
