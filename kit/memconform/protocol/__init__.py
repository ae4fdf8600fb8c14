"""The store protocol: operations, capabilities, declared policies, structured errors."""

from memconform.protocol.capabilities import CAPABILITIES, Capability
from memconform.protocol.errors import (
    ERROR_CODES,
    Conflict,
    ErrorCode,
    ErrorData,
    Internal,
    Invalid,
    NotFound,
    StoreError,
    Unavailable,
    Unsupported,
    error_from,
)
from memconform.protocol.operations import (
    OPERATIONS,
    PROTOCOL_VERSION,
    PROTOCOL_VERSIONS,
    RECALL_OPTIONS,
    Hello,
    HelloRequest,
    Opened,
    Operation,
)
from memconform.protocol.policies import Policies, Surface, policies
from memconform.protocol.store import MemoryStore, System, system

__all__ = [
    "CAPABILITIES",
    "ERROR_CODES",
    "OPERATIONS",
    "PROTOCOL_VERSION",
    "PROTOCOL_VERSIONS",
    "RECALL_OPTIONS",
    "Capability",
    "Conflict",
    "ErrorCode",
    "ErrorData",
    "Hello",
    "HelloRequest",
    "Internal",
    "Invalid",
    "MemoryStore",
    "NotFound",
    "Opened",
    "Operation",
    "Policies",
    "StoreError",
    "Surface",
    "System",
    "Unavailable",
    "Unsupported",
    "error_from",
    "policies",
    "system",
]
