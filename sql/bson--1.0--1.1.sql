/* bson 1.1: what is new since 1.0; a fresh installation runs this script after that of 1.0 */

-- complain if the script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION bson UPDATE" to load this file. \quit
