-- The tables of Boltwork in MariaDB 10.5, MySQL 8 or later. Another prefix: replace boltwork_ everywhere.
-- Times are milliseconds since the epoch, except seen_at and sent_at, which are microseconds.

-- Locks, latches and clients. Names are bytes of UTF-8, so that no collation makes two names equal.
CREATE TABLE IF NOT EXISTS boltwork_lock (
    kind SMALLINT NOT NULL,
    name VARBINARY(1024) NOT NULL,
    version BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    drop_at BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    token BIGINT NOT NULL,
    until_at BIGINT NOT NULL,
    owner VARCHAR(512),
    rest LONGTEXT,
    PRIMARY KEY (kind, name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Clients that ask for their messages, and when they last did.
CREATE TABLE IF NOT EXISTS boltwork_client (
    client VARBINARY(1024) NOT NULL PRIMARY KEY,
    seen_at BIGINT NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Messages for these clients.
CREATE TABLE IF NOT EXISTS boltwork_inbox (
    client VARBINARY(1024) NOT NULL,
    id BIGINT NOT NULL,
    sent_at BIGINT NOT NULL,
    message LONGTEXT NOT NULL,
    PRIMARY KEY (client, id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row that identifies this set of data. Made last.
CREATE TABLE IF NOT EXISTS boltwork_store (
    id SMALLINT NOT NULL PRIMARY KEY,
    run VARCHAR(36) NOT NULL,
    swept_at BIGINT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4;

INSERT IGNORE INTO boltwork_store (id, run, swept_at) VALUES (1, UUID(), 0);
