"""Contacts and stops, and the shapes of bodies that touch; `base` defines the contract of a contact."""

from .base import ClosedPoints, Contact, ContactElement, registered_contacts
from .compliant import CompliantContact
from .friction import DryFriction, Friction, FrictionElement
from .links import CamContact, Rope, Strut
from .shapes import Box, Capsule, Disk, Line, Plane, Point, Polygon, Profile, Shape, Sphere
from .stops import Stop
